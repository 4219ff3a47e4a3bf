import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A process of its own, so that what it costs to serve is not counted: lists endpoints from bodies
 * that are rendered beforehand. Tells its parent the port, and how many requests came since it was
 * last asked.
 */
const [endpoints = 0, pageSize = 0] = process.argv.slice(2).map(Number);
const pages = Math.ceil(endpoints / pageSize);
const bodies = Array.from({ length: pages }, (_, index) => Buffer.from(renderPage(index + 1)));
let requests = 0;

const server = createServer({ keepAliveTimeout: 60_000 }, ({ url = '' }, response) => {
  requests += 1;
  const page = Number(new URLSearchParams(url.slice(url.indexOf('?'))).get('page'));
  const body = bodies[page - 1] ?? '';
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
  });
  response.end(body);
});

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => {
  process.send?.(requests);
  requests = 0;
});
process.on('disconnect', () => process.exit());

function renderPage(page: number): string {
  const rows = Array.from({ length: pageSize }, (_, index) => row((page - 1) * pageSize + index));
  return JSON.stringify({
    listData: rows,
    page,
    pageSize,
    totalPage: pages,
    totalItem: endpoints,
  });
}

function row(number: number): object {
  const id = `8f14e45f-ceea-467f-a83c-${String(number).padStart(12, '0')}`;
  return {
    id,
    agentRuntimeId: 'shop',
    name: `endpoint-${number}`,
    version: 2,
    targetVersion: 2,
    liveVersion: 1,
    currentReplicaCount: 3,
    url: `https://${id}.endpoints.example.com`,
    status: 'WAITING_ROLLOUT',
    displayStatus: 'Waiting for the rollout',
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-02T00:00:00Z',
  };
}
