import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const SECRET_ARN =
  'arn:aws:secretsmanager:eu-central-1:123456789012:secret:steproll/token-AbCdEf';

export interface FakeSecretsManager {
  /** What the SDK finds it by, with credentials of its own. */
  readonly env: Readonly<Record<string, string>>;
  /** Body and authorization of every request. */
  readonly requests: { readonly body: unknown; readonly authorization: string | undefined }[];
  /** Answers from now on: the secret's text, or whatever is done with the response. */
  answer(how: string | ((response: ServerResponse) => void)): void;
  close(): Promise<void>;
}

/** AWS Secrets Manager, as far as one secret goes. */
export async function startSecretsManager(secret = ''): Promise<FakeSecretsManager> {
  let respond = secretAnswer(secret);
  const requests: FakeSecretsManager['requests'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    requests.push({ body, authorization: request.headers.authorization });
    respond(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    },
    requests,
    answer(how) {
      respond = typeof how === 'string' ? secretAnswer(how) : how;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The answer of the service to a call that it refuses. */
export function refusal(name: string, message: string, status = 400) {
  return (response: ServerResponse) => answerJson(response, status, { __type: name, message });
}

export function answerJson(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
    .end(JSON.stringify(body));
}

function secretAnswer(SecretString: string) {
  return (response: ServerResponse) =>
    answerJson(response, 200, { ARN: SECRET_ARN, Name: 'steproll/token', SecretString });
}
