/** Node's own client. */
export async function askFetch(method: string, url: string, json?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  return response.json();
}
