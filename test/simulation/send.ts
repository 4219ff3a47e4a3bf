import { type IncomingHttpHeaders, request } from 'node:http';

/** One request with the path and the headers exactly as given, on a connection of its own. */
export function send(url: string, options: SendOptions = {}): Promise<Answer> {
  const { method = 'GET', path = '/', headers = {}, body } = options;
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname: hostname.replaceAll(/[[\]]/g, ''), port, method, path, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
          sent.destroy();
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

interface SendOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}
