/** Calls a service that no client here is for. The emulator takes its root key without a true signature. */
export function callAsRoot(
  service: string,
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const scope = `20260101/us-east-1/${service}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=test/${scope}, SignedHeaders=host, Signature=0`;
  return fetch(url, {
    method: 'POST',
    headers: { authorization, ...headers },
    body: JSON.stringify(body),
  });
}
