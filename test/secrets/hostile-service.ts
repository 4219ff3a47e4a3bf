import type { ServerResponse } from 'node:http';
import {
  type HttpTestServer,
  pageOf,
  type ReceivedRequest,
  rowOf,
  rowsOf,
  sendJson,
  startHttpServer,
} from '../adapters/http/fault-server.ts';
import { CANARIES } from './canary.ts';

type Answer = (request: ReceivedRequest, response: ServerResponse) => void;

const page = (secret: string) =>
  `<html><title>${secret}</title><p>You sent Authorization: ${secret}</html>`;

/** Ways to answer that give away what was sent: by their name. */
export const HOSTILE_ANSWERS: Readonly<Record<string, Answer>> = {
  '401 that echoes the header': echo(401),
  '403 that echoes the header': echo(403),
  '404 that echoes the header': echo(404),
  '409 that echoes the header': echo(409),
  '429 that echoes the header': echo(429),
  '500 that echoes the header': echo(500),
  '400 that echoes the token alone': (request, response) =>
    sendJson(response, [secretOf(request)], 400),
  '500 with a page that shows the token': (request, response) =>
    response.writeHead(500, { 'content-type': 'text/html' }).end(page(secretOf(request))),
  '200 with a page that shows the token': (request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(page(secretOf(request))),
  '400 with the token in a link': (request, response) =>
    response.writeHead(400).end(`see /why?t=${encodeURIComponent(secretOf(request))}`),
  '400 with the token in base64': (request, response) =>
    response.writeHead(400).end(`you are ${btoa(secretOf(request))}`),
  'a redirect to where the token is in the query': (request, response) =>
    response
      .writeHead(302, { location: `/elsewhere?token=${encodeURIComponent(secretOf(request))}` })
      .end(secretOf(request)),
  'a row with the token where a number should be': (request, response) =>
    sendJson(response, {
      listData: [rowOf('e1', { liveVersion: secretOf(request) })],
      ...rowOf('e1', { liveVersion: secretOf(request) }),
    }),
  'rows with the token in all that is text': (request, response) => {
    const secret = secretOf(request);
    const told = { name: `web ${secret}`, status: `DENIED ${secret}`, url: linkWith(secret) };
    sendJson(response, { ...pageOf([rowOf('e1', told)], request.query), ...rowOf('e1', told) });
  },
  'JSON that is cut behind the token': (request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"authorization": "${secretOf(request)}`),
  'a reason phrase that is the header': (request, response) => {
    response.writeHead(500, `Refused ${secretOf(request)}`).end();
  },
  'a header that is none': (request, response) => {
    response.socket?.end(`HTTP/1.1 200 OK\r\n${secretOf(request)}\r\n\r\n`);
  },
  'a connection that is cut': (_request, response) => response.destroy(),
  'no answer': leaveOpen,
};

export interface HostileService extends HttpTestServer {
  readonly tokenUrl: string;
  /** The answer of the service. */
  answer: Answer;
  /** The answer of the token endpoint. */
  mint: Answer;
  /** It has left a request without an answer. */
  readonly isSilent: boolean;
}

/** A service and its token endpoint, both friendly until they are told otherwise. */
export async function startHostileService(): Promise<HostileService> {
  let isSilent = false;
  const server = await startHttpServer((request, response) => {
    const answer = request.url.startsWith('/oauth/token') ? service.mint : service.answer;
    if (answer === leaveOpen) isSilent = true;
    answer(request, response);
  });
  const service: HostileService = {
    ...server,
    tokenUrl: `${server.url}/oauth/token`,
    answer: answerAsAsked,
    mint: (_request, response) =>
      sendJson(response, { access_token: CANARIES.mintedToken, token_type: 'bearer' }),
    get isSilent() {
      return isSilent;
    },
  };
  return service;
}

export function answerAsAsked(request: ReceivedRequest, response: ServerResponse): void {
  const isList = request.method === 'GET';
  sendJson(response, isList ? pageOf(rowsOf(2), request.query) : (rowsOf(1)[0] ?? {}));
}

function leaveOpen(): void {}

function echo(status: number): Answer {
  return ({ headers, body }, response) =>
    sendJson(response, { message: 'refused', headers, body, was: headers.authorization }, status);
}

export function linkWith(secret: string): string {
  return `https://a.example/?session=${encodeURIComponent(secret)}`;
}

/** Without its scheme. */
function secretOf({ headers }: ReceivedRequest): string {
  return String(headers.authorization).replace(/^\w+ /, '');
}

/** The answer whose name begins so. */
export function answerNamed(start: string) {
  const found = Object.entries(HOSTILE_ANSWERS).find(([name]) => name.startsWith(start));
  if (found === undefined) throw new Error(`no answer "${start}"`);
  return found[1];
}
