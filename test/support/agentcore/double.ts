import type { AgentCoreResource } from '../../../lib/contract/service/services.ts';
import { faultsOf, membersOf, OPERATIONS, type Operation, STATUS_OF_ERROR } from './shapes.ts';
import { faultOfSignature } from './signature.ts';

/** What arrives. The names of headers are in lower case. */
export interface DoubleRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface DoubleAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface DoubleOptions {
  /** What has the endpoints. @default 'runtime' */
  readonly of?: AgentCoreResource;
  /** The harnesses of the account, each with the id of its runtime. @default - none but the double itself */
  readonly harnesses?: Readonly<Record<string, string>>;
  /** @default 'shop-a1B2c3D4e5' */
  readonly runtimeId?: string;
  /** Milliseconds since the Unix epoch. @default Date.now */
  readonly now?: () => number;
  /** @default 3: version 1, 2 and 3, ready */
  readonly versions?: number | Readonly<Record<number, string>>;
  /** The endpoints besides DEFAULT, with their versions. */
  readonly endpoints: Readonly<Record<string, number>>;
  /** Seconds from an update until it is settled. @default 20 */
  readonly updateSeconds?: number;
  /** Seconds for which a list still shows an endpoint as it was before an update. @default 0 */
  readonly listLagSeconds?: number;
  /** The most rows of a page, whatever is asked for. @default 100 */
  readonly pageSize?: number;
  /** Whether an endpoint that is READY says its target, which is optional. @default true */
  readonly saysTargetAtRest?: boolean;
  /** How an update fails. @default - it does not */
  readonly failure?: (name: string, version: number) => Failure | null;
  /** What goes wrong on the way, or around it. `nth` counts the calls of the operation from 1. @default - nothing */
  readonly disturb?: (call: DoubleCall, nth: number) => Disturbance | null;
}

export interface Failure {
  readonly reason: string;
  /** Whether the endpoint says which version is live afterwards. AWS does not tell whether it does. */
  readonly saysLive: boolean;
  /** Whether the target is the live version again. AWS does not tell that, either. @default false */
  readonly takesTargetBack?: boolean;
}

export type Disturbance =
  /** Nothing is carried out. */
  | { readonly kind: 'error'; readonly name: string; readonly headers?: Record<string, string> }
  /** The call is carried out, and this is the answer. */
  | { readonly kind: 'answer'; readonly answer: DoubleAnswer }
  /** No answer comes, whether or not the call is carried out. */
  | { readonly kind: 'lost'; readonly carriedOut: boolean };

export interface DoubleCall {
  readonly operation: string;
  readonly endpoint: string | null;
  readonly version: number | null;
  readonly clientToken: string | null;
}

export interface AgentCoreDouble {
  readonly runtimeId: string;
  /** `null`: the answer is lost. */
  answer(request: DoubleRequest): DoubleAnswer | null;
  /** Every call whose signature is right. */
  readonly calls: readonly DoubleCall[];
  /** The updates that were carried out, each once. */
  readonly updates: readonly { readonly endpoint: string; readonly version: number }[];
  /** What nobody should ever do: write to DEFAULT, delete. */
  readonly violations: readonly string[];
  /** The state of an endpoint, as it is listed. */
  stateOf(name: string): Readonly<Record<string, string>>;
}

const DEFAULT = 'DEFAULT';
const ACCOUNT = 'arn:aws:bedrock-agentcore:eu-central-1:123456789012';

interface EndpointState {
  readonly name: string;
  readonly id: string;
  live: number | null;
  target: number;
  status: string;
  reason: string | null;
  readonly createdAt: number;
  updatedAt: number;
  /** When the update that is under way settles. */
  settlesAt: number | null;
  /** What lists still show, and until when. */
  before: { readonly row: Record<string, string>; readonly until: number } | null;
}

/**
 * AgentCore's control plane for one runtime or one harness, as strict as its model and its reference: it refuses what AWS would
 * refuse, and checks its own answers with the SDK's model.
 */
export function createAgentCoreDouble(options: DoubleOptions): AgentCoreDouble {
  const { now = Date.now, updateSeconds = 20, pageSize = 100, saysTargetAtRest = true } = options;
  const { of = 'runtime', runtimeId = 'shop-a1B2c3D4e5', listLagSeconds = 0 } = options;
  const own: Record<string, string> = of === 'harness' ? { [runtimeId]: RUNTIME_OF_HARNESS } : {};
  const harnesses = { ...own, ...options.harnesses };
  const versions = versionsOf(options.versions ?? 3);
  const latest = Math.max(...versions.keys());
  const endpoints = new Map<string, EndpointState>();
  const calls: DoubleCall[] = [];
  const updates: { endpoint: string; version: number }[] = [];
  const violations: string[] = [];
  const answered = new Map<string, { readonly input: string; readonly answer: object }>();
  const tokens = new Map<string, { readonly operation: string; readonly from: number }>();
  const counts = new Map<string, number>();

  for (const [name, version] of [
    [DEFAULT, latest],
    ...Object.entries(options.endpoints),
  ] as const) {
    endpoints.set(String(name), settled(String(name), Number(version), now()));
  }

  function endpointOf(name: string): EndpointState {
    const endpoint = endpoints.get(name);
    if (endpoint === undefined) throw refusal('ResourceNotFoundException', `no endpoint ${name}`);
    settle(endpoint);
    return endpoint;
  }

  function settle(endpoint: EndpointState): void {
    if (endpoint.settlesAt === null || now() < endpoint.settlesAt) return;
    const failure = options.failure?.(endpoint.name, endpoint.target) ?? null;
    endpoint.updatedAt = endpoint.settlesAt;
    endpoint.settlesAt = null;
    endpoint.reason = failure?.reason ?? null;
    if (failure === null) {
      endpoint.live = endpoint.target;
      endpoint.status = 'READY';
    } else {
      fail(endpoint, failure);
    }
  }

  function readyVersion(text: string | undefined): number {
    if (text === undefined) return latest;
    const version = Number(text);
    const status = versions.get(version);
    if (status === undefined) throw refusal('ResourceNotFoundException', `no version ${version}`);
    if (status !== 'READY') throw refusal('ConflictException', `version ${version} is ${status}`);
    return version;
  }

  function shown(endpoint: EndpointState): Record<string, string> {
    const { targetVersion = '', ...row } = rowOf(endpoint, runtimeId, of);
    const isSilent = endpoint.status === 'READY' && !saysTargetAtRest;
    return isSilent ? row : { ...row, targetVersion };
  }

  function pageOf(operation: string, rows: readonly object[], input: Input) {
    const token = input.nextToken;
    const known = token === undefined ? { operation, from: 0 } : tokens.get(token);
    if (known?.operation !== operation) throw invalid('nextToken', 'unknown token');
    const size = Math.min(Number(input.maxResults ?? 100), pageSize);
    const until = known.from + size;
    if (until >= rows.length) return { rows: rows.slice(known.from), next: {} };
    // These characters have a meaning in a query, so they must be escaped there.
    const nextToken = `${Buffer.from(`${operation}?${until}>`).toString('base64')}+/=&%20`;
    tokens.set(nextToken, { operation, from: until });
    return { rows: rows.slice(known.from, until), next: { nextToken } };
  }

  /** A list may be behind. */
  function listed(name: string): Record<string, string> {
    const endpoint = endpointOf(name);
    const { before } = endpoint;
    return before !== null && now() < before.until ? before.row : shown(endpoint);
  }

  function create(name: string, version: string | undefined): EndpointState {
    if (endpoints.has(name)) throw refusal('ConflictException', `${name} exists`);
    const target = readyVersion(version);
    const endpoint = settled(name, target, now());
    endpoint.live = null;
    endpoint.status = 'CREATING';
    endpoint.settlesAt = now() + updateSeconds * 1_000;
    endpoints.set(name, endpoint);
    return endpoint;
  }

  function update(operation: string, name: string, version: string | undefined): EndpointState {
    const endpoint = endpointOf(name);
    if (name === DEFAULT) {
      violations.push(`${operation} of DEFAULT`);
      throw refusal('ConflictException', 'DEFAULT follows the latest version');
    }
    if (endpoint.settlesAt !== null) {
      throw refusal('ConflictException', `${name} is ${endpoint.status}`);
    }
    const target = readyVersion(version);
    endpoint.before = { row: shown(endpoint), until: now() + listLagSeconds * 1_000 };
    endpoint.target = target;
    endpoint.status = 'UPDATING';
    endpoint.reason = null;
    endpoint.updatedAt = now();
    endpoint.settlesAt = now() + updateSeconds * 1_000;
    updates.push({ endpoint: name, version: endpoint.target });
    return endpoint;
  }

  const carryOut: Readonly<Record<string, (input: Input) => object>> = {
    ListHarnessEndpoints(input) {
      const rows = [...endpoints.keys()].map(listed);
      const { rows: page, next } = pageOf('ListHarnessEndpoints', rows, input);
      return { endpoints: page, ...next };
    },
    ListHarnessVersions(input) {
      const rows = [...versions].map(([version, status]) => ({
        ...ofHarness(runtimeId),
        arn: arnOf(runtimeId, 'harness'),
        harnessVersion: String(version),
        createdAt: timeOf(now()),
        updatedAt: timeOf(now()),
        status,
      }));
      const { rows: harnessVersions, next } = pageOf('ListHarnessVersions', rows, input);
      return { harnessVersions, ...next };
    },
    CreateHarnessEndpoint({ endpointName = '', targetVersion }) {
      return { endpoint: shown(create(endpointName, targetVersion)) };
    },
    UpdateHarnessEndpoint({ endpointName = '', targetVersion }) {
      return { endpoint: shown(update('UpdateHarnessEndpoint', endpointName, targetVersion)) };
    },
    DeleteHarnessEndpoint({ endpointName = '' }) {
      const endpoint = endpointOf(endpointName);
      violations.push(`DeleteHarnessEndpoint of ${endpointName}`);
      endpoints.delete(endpointName);
      return { endpoint: { ...shown(endpoint), status: 'DELETING' } };
    },
    GetHarness({ harnessId = '' }) {
      const agentRuntimeId = harnesses[harnessId];
      if (agentRuntimeId === undefined) throw refusal('ResourceNotFoundException', harnessId);
      return { harness: harnessOf(harnessId, agentRuntimeId, timeOf(now())) };
    },
    ListHarnesses(input) {
      const rows = Object.keys(harnesses).map((id) => ({
        ...ofHarness(id),
        arn: arnOf(id, 'harness'),
        status: 'READY',
        createdAt: timeOf(now()),
        updatedAt: timeOf(now()),
      }));
      const { rows: page, next } = pageOf('ListHarnesses', rows, input);
      return { harnesses: page, ...next };
    },
    ListAgentRuntimeEndpoints(input) {
      const rows = [...endpoints.keys()].map(listed);
      const { rows: runtimeEndpoints, next } = pageOf('ListAgentRuntimeEndpoints', rows, input);
      return { runtimeEndpoints, ...next };
    },
    ListAgentRuntimeVersions(input) {
      const rows = [...versions].map(([version, status]) => ({
        agentRuntimeArn: arnOf(runtimeId, 'runtime'),
        agentRuntimeId: runtimeId,
        agentRuntimeVersion: String(version),
        agentRuntimeName: 'shop',
        description: 'Sells things.',
        lastUpdatedAt: timeOf(now()),
        status,
      }));
      const { rows: agentRuntimes, next } = pageOf('ListAgentRuntimeVersions', rows, input);
      return { agentRuntimes, ...next };
    },
    GetAgentRuntimeEndpoint({ endpointName = '' }) {
      const endpoint = endpointOf(endpointName);
      const { reason } = endpoint;
      return { ...shown(endpoint), ...(reason !== null && { failureReason: reason }) };
    },
    CreateAgentRuntimeEndpoint({ name = '', agentRuntimeVersion }) {
      const endpoint = create(name, agentRuntimeVersion);
      const { targetVersion, agentRuntimeEndpointArn, agentRuntimeArn, createdAt } = rowOf(
        endpoint,
        runtimeId,
        of,
      );
      const named = { agentRuntimeId: runtimeId, endpointName: name, status: endpoint.status };
      return { targetVersion, agentRuntimeEndpointArn, agentRuntimeArn, createdAt, ...named };
    },
    UpdateAgentRuntimeEndpoint({ endpointName = '', agentRuntimeVersion }) {
      const endpoint = update('UpdateAgentRuntimeEndpoint', endpointName, agentRuntimeVersion);
      const { name: _, id: __, ...answer } = rowOf(endpoint, runtimeId, of);
      return answer;
    },
    DeleteAgentRuntimeEndpoint({ endpointName = '' }) {
      violations.push(`DeleteAgentRuntimeEndpoint of ${endpointName}`);
      endpoints.delete(endpointName);
      return { status: 'DELETING' };
    },
  };

  /** The same token means the same call. It is carried out once. */
  function once(operation: Operation, input: Input): object {
    const { clientToken } = input;
    const text = JSON.stringify(input);
    const before = clientToken === undefined ? undefined : answered.get(clientToken);
    if (before !== undefined) {
      if (before.input === text) return before.answer;
      throw invalid('clientToken', 'used for another call', 'IdempotentParameterMismatchException');
    }
    const answer = carryOut[operation.name]?.(input) ?? {};
    if (clientToken !== undefined) answered.set(clientToken, { input: text, answer });
    return answer;
  }

  function respond(operation: Operation, input: Input): DoubleAnswer {
    const body = once(operation, input);
    const faults = faultsOf(operation.output, body, operation.name);
    if (faults.length > 0) throw new Error(`The double is wrong: ${faults.join('; ')}`);
    return json(operation.status, body);
  }

  return {
    runtimeId,
    calls,
    updates,
    violations,
    stateOf: (name) => rowOf(endpointOf(name), runtimeId, of),
    answer(request) {
      try {
        const signatureFault = faultOfSignature(request);
        if (signatureFault !== null) throw refusal(signatureFault, 'The request is not signed so.');
        const { operation, input } = readRequest(request, runtimeId, of);
        const call = callOf(operation.name, input);
        calls.push(call);
        const nth = (counts.get(operation.name) ?? 0) + 1;
        counts.set(operation.name, nth);
        const disturbance = options.disturb?.(call, nth) ?? null;
        switch (disturbance?.kind) {
          case undefined:
            return respond(operation, input);
          case 'error':
            throw refusal(disturbance.name, 'This call is disturbed.', disturbance.headers);
          case 'lost':
            if (disturbance.carriedOut) respond(operation, input);
            return null;
          case 'answer':
            respond(operation, input);
            return disturbance.answer;
        }
      } catch (error) {
        if (error instanceof Refusal) return error.answer;
        throw error;
      }
    },
  };
}

type Input = Readonly<Record<string, string | undefined>>;

function versionsOf(given: number | Readonly<Record<number, string>>): Map<number, string> {
  if (typeof given !== 'number') {
    return new Map(Object.entries(given).map(([version, status]) => [Number(version), status]));
  }
  return new Map(Array.from({ length: given }, (_, index) => [index + 1, 'READY']));
}

function fail(endpoint: EndpointState, { saysLive, takesTargetBack = false }: Failure): void {
  if (takesTargetBack && endpoint.live !== null) endpoint.target = endpoint.live;
  if (!saysLive) endpoint.live = null;
  endpoint.status = endpoint.status === 'CREATING' ? 'CREATE_FAILED' : 'UPDATE_FAILED';
}

function settled(name: string, version: number, at: number): EndpointState {
  return {
    name,
    id: `${name}-${Buffer.from(`${name}0123456789`).toString('hex').slice(0, 10)}`,
    live: version,
    target: version,
    status: 'READY',
    reason: null,
    createdAt: at,
    updatedAt: at,
    settlesAt: null,
    before: null,
  };
}

function rowOf(endpoint: EndpointState, id: string, of: AgentCoreResource): Record<string, string> {
  const versions = {
    ...(endpoint.live !== null && { liveVersion: String(endpoint.live) }),
    targetVersion: String(endpoint.target),
  };
  const { status } = endpoint;
  const arn = `${arnOf(id, of)}/${of}-endpoint/${endpoint.name}`;
  const createdAt = timeOf(endpoint.createdAt);
  const updatedAt = timeOf(endpoint.updatedAt);
  if (of === 'harness') {
    const { name: endpointName, reason } = endpoint;
    const failed = reason === null ? {} : { failureReason: reason };
    return {
      ...{ ...ofHarness(id), ...versions, ...failed },
      ...{ endpointName, arn, status, createdAt, updatedAt },
    };
  }
  return {
    ...{ name: endpoint.name, id: endpoint.id, ...versions },
    ...{ agentRuntimeEndpointArn: arn, agentRuntimeArn: arnOf(id, of) },
    ...{ status, createdAt, lastUpdatedAt: updatedAt },
  };
}

/** Nobody knows how AWS names it. */
const RUNTIME_OF_HARNESS = 'beneath_a_harness-z9Y8x7W6v5';

function ofHarness(harnessId: string): Record<string, string> {
  return { harnessId, harnessName: harnessId.replace(/-[^-]*$/, '') };
}

/** The parts that an answer must have. */
function harnessOf(harnessId: string, agentRuntimeId: string, at: string): object {
  const agentCoreRuntimeEnvironment = {
    agentRuntimeArn: arnOf(agentRuntimeId, 'runtime'),
    agentRuntimeName: agentRuntimeId.replace(/-[^-]*$/, ''),
    agentRuntimeId,
    lifecycleConfiguration: {},
    networkConfiguration: { networkMode: 'PUBLIC' },
  };
  return {
    ...ofHarness(harnessId),
    arn: arnOf(harnessId, 'harness'),
    status: 'READY',
    executionRoleArn: 'arn:aws:iam::123456789012:role/harness',
    createdAt: at,
    updatedAt: at,
    model: { bedrockModelConfig: { modelId: 'a-model' } },
    systemPrompt: [{ text: 'Sell things.' }],
    tools: [],
    skills: [],
    allowedTools: ['*'],
    truncation: { strategy: 'sliding_window' },
    environment: { agentCoreRuntimeEnvironment },
  };
}

function arnOf(id: string, of: AgentCoreResource): string {
  return `${ACCOUNT}:${of}/${id}`;
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function callOf(operation: string, input: Input): DoubleCall {
  const { endpointName, name, agentRuntimeVersion, targetVersion, clientToken } = input;
  const version = agentRuntimeVersion ?? targetVersion;
  return {
    operation,
    endpoint: endpointName ?? name ?? null,
    version: version === undefined ? null : Number(version),
    clientToken: clientToken ?? null,
  };
}

/** Finds the operation of a request, and refuses what the model and the reference do not allow. */
function readRequest(
  request: DoubleRequest,
  id: string,
  of: AgentCoreResource,
): { operation: Operation; input: Input } {
  const url = new URL(request.path, 'http://double');
  const operation = OPERATIONS.find(
    ({ method, path }) => method === request.method && path.test(url.pathname),
  );
  if (operation === undefined) throw refusal('UnknownOperationException', request.path, {}, 404);
  const labels = operation.path.exec(url.pathname)?.groups ?? {};
  const query = Object.fromEntries(url.searchParams);
  const unknown = Object.keys(query).filter((name) => !operation.query.includes(name));
  if (unknown.length > 0) throw invalid(unknown.join(), 'unknown in the query');
  const input = { ...labels, ...query, ...bodyOf(request, operation) };
  for (const [name, value] of Object.entries(input)) {
    const limit = LIMITS[name];
    if (limit !== undefined && !limit.test(String(value))) throw invalid(name, `not ${limit}`);
  }
  // Harnesses can be read whatever the double has endpoints of.
  const isForAll = operation.name === 'GetHarness' || operation.name === 'ListHarnesses';
  const asked = of === 'harness' ? input.harnessId : input.agentRuntimeId;
  if (!isForAll && asked !== id) throw refusal('ResourceNotFoundException', `no ${of} ${asked}`);
  return { operation, input };
}

function bodyOf({ body, headers }: DoubleRequest, operation: Operation): Input {
  const { labels, query } = operation;
  const isElsewhere = (name: string) => labels.includes(name) || query.includes(name);
  if (Object.keys(membersOf(operation.input)).every(isElsewhere)) {
    if (body !== '') throw invalid('body', 'there is none');
    return {};
  }
  if (headers['content-type'] !== 'application/json') throw invalid('content-type', 'no JSON');
  const value = JSON.parse(body);
  const elsewhere = Object.keys(value).filter(isElsewhere);
  const faults = faultsOf(operation.input, { ...value, ...labelsOf(operation) }, 'body');
  if (elsewhere.length + faults.length > 0) throw invalid('body', [...elsewhere, ...faults].join());
  return value;
}

/** The labels are checked by their own patterns. Here they only have to be there. */
function labelsOf({ labels }: Operation): Input {
  return Object.fromEntries(labels.map((name) => [name, 'here']));
}

/** From the API reference: the SDK does not know these limits. */
const LIMITS: Readonly<Record<string, RegExp>> = {
  agentRuntimeId: /^[a-zA-Z][a-zA-Z0-9_]{0,99}-[a-zA-Z0-9]{10}$/,
  harnessId: /^[a-zA-Z][a-zA-Z0-9_]{0,39}-[a-zA-Z0-9]{10}$/,
  endpointName: /^[a-zA-Z][a-zA-Z0-9_]{0,47}$/,
  name: /^[a-zA-Z][a-zA-Z0-9_]{0,47}$/,
  targetVersion: /^[1-9][0-9]{0,4}$/,
  agentRuntimeVersion: /^[1-9][0-9]{0,4}$/,
  clientToken: /^(?=.{33,256}$)[a-zA-Z0-9](-*[a-zA-Z0-9])*$/,
  description: /^.{1,256}$/s,
  maxResults: /^([1-9][0-9]?|100)$/,
  nextToken: /^\S{1,2048}$/,
};

class Refusal extends Error {
  readonly answer: DoubleAnswer;

  constructor(answer: DoubleAnswer) {
    super('refused');
    this.answer = answer;
  }
}

function refusal(
  name: string,
  message: string,
  headers: Record<string, string> = {},
  status = STATUS_OF_ERROR.get(name) ?? 403,
): Refusal {
  return new Refusal(json(status, { message }, { 'x-amzn-errortype': name, ...headers }));
}

function invalid(name: string, message: string, reason = 'FieldValidationFailed'): Refusal {
  const body = { message: `${name}: ${message}`, reason, fieldList: [{ name, message }] };
  const headers = { 'x-amzn-errortype': 'ValidationException' };
  return new Refusal(json(400, body, headers));
}

function json(status: number, body: object, headers: Record<string, string> = {}): DoubleAnswer {
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'x-amzn-requestid': '7a62c49f-347e-4fc4-9331-6e8eaa6b34aa',
      ...headers,
    },
    body: JSON.stringify(body),
  };
}
