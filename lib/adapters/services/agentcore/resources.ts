import {
  CreateAgentRuntimeEndpointCommand,
  CreateHarnessEndpointCommand,
  GetAgentRuntimeEndpointCommand,
  GetHarnessCommand,
  ListAgentRuntimeEndpointsCommand,
  ListAgentRuntimeVersionsCommand,
  ListHarnessEndpointsCommand,
  ListHarnessesCommand,
  ListHarnessVersionsCommand,
  UpdateAgentRuntimeEndpointCommand,
  UpdateHarnessEndpointCommand,
} from '@aws-sdk/client-bedrock-agentcore-control';
import {
  createdEndpointSchema,
  endpointPageSchema,
  failureReasonSchema,
  harnessEndpointPageSchema,
  harnessEndpointSchema,
  harnessPageSchema,
  harnessVersionPageSchema,
  rolledEndpointSchema,
  runtimeOfHarnessSchema,
  versionPageSchema,
} from '../../../contract/service/agentcore.ts';
import type { AgentCoreResource } from '../../../contract/service/services.ts';
import type { Endpoint } from '../../../domain/endpoint/endpoint.ts';
import type { RuntimeVersion } from '../../../domain/planning/version.ts';
import type { AgentCoreCall } from './call.ts';
import type { TokenPage } from './pages.ts';

/** The most of anything that a page may have. */
export const PAGE_SIZE = 100;

/** Sends one call. */
type Ask<Input, Result> = (
  call: AgentCoreCall,
  input: Input,
  signal?: AbortSignal,
) => Promise<Result>;

interface PageOf {
  /** Of the runtime or the harness. */
  readonly id: string;
  readonly maxResults: number;
  readonly nextToken: string | undefined;
}

interface EndpointOf {
  readonly id: string;
  readonly name: string;
}

interface Change extends EndpointOf {
  /** @default - the service chooses it */
  readonly version?: string;
  readonly clientToken: string;
}

/** The calls for one kind of resource. What is done with them is the same for all. */
interface Calls {
  readonly list: Ask<PageOf, TokenPage<Endpoint>>;
  /** Why an endpoint failed. `null`: the list has said it. */
  readonly readReason: Ask<EndpointOf, string | null> | null;
  readonly create: Ask<Change, Endpoint>;
  readonly roll: Ask<Change & { readonly version: string }, Endpoint>;
  readonly listVersions: Ask<PageOf, TokenPage<RuntimeVersion>>;
}

export const CALLS: Readonly<Record<AgentCoreResource, Calls>> = {
  runtime: {
    list: (call, { id: agentRuntimeId, ...page }, signal) => {
      const createCommand = () => new ListAgentRuntimeEndpointsCommand({ agentRuntimeId, ...page });
      return call({ createCommand, writes: false, answer: endpointPageSchema }, signal);
    },
    readReason: (call, { id: agentRuntimeId, name: endpointName }, signal) => {
      const createCommand = () =>
        new GetAgentRuntimeEndpointCommand({ agentRuntimeId, endpointName });
      return call({ createCommand, writes: false, answer: failureReasonSchema }, signal);
    },
    create: (call, { id: agentRuntimeId, version, ...named }, signal) => {
      const input = {
        agentRuntimeId,
        ...named,
        ...(version !== undefined && { agentRuntimeVersion: version }),
      };
      const createCommand = () => new CreateAgentRuntimeEndpointCommand(input);
      return call({ createCommand, writes: true, answer: createdEndpointSchema }, signal);
    },
    roll: (
      call,
      { id: agentRuntimeId, name: endpointName, version: agentRuntimeVersion, clientToken },
      signal,
    ) => {
      const input = { agentRuntimeId, endpointName, agentRuntimeVersion, clientToken };
      const createCommand = () => new UpdateAgentRuntimeEndpointCommand(input);
      const answer = rolledEndpointSchema(endpointName);
      return call({ createCommand, writes: true, answer }, signal);
    },
    listVersions: (call, { id: agentRuntimeId, ...page }, signal) => {
      const createCommand = () => new ListAgentRuntimeVersionsCommand({ agentRuntimeId, ...page });
      return call({ createCommand, writes: false, answer: versionPageSchema }, signal);
    },
  },
  harness: {
    list: (call, { id: harnessId, ...page }, signal) => {
      const createCommand = () => new ListHarnessEndpointsCommand({ harnessId, ...page });
      return call({ createCommand, writes: false, answer: harnessEndpointPageSchema }, signal);
    },
    readReason: null,
    create: (call, { id: harnessId, name: endpointName, version, clientToken }, signal) => {
      const input = {
        harnessId,
        endpointName,
        clientToken,
        ...(version !== undefined && { targetVersion: version }),
      };
      const createCommand = () => new CreateHarnessEndpointCommand(input);
      return call({ createCommand, writes: true, answer: harnessEndpointSchema }, signal);
    },
    roll: (
      call,
      { id: harnessId, name: endpointName, version: targetVersion, clientToken },
      signal,
    ) => {
      const input = { harnessId, endpointName, targetVersion, clientToken };
      const createCommand = () => new UpdateHarnessEndpointCommand(input);
      return call({ createCommand, writes: true, answer: harnessEndpointSchema }, signal);
    },
    listVersions: (call, { id: harnessId, ...page }, signal) => {
      const createCommand = () => new ListHarnessVersionsCommand({ harnessId, ...page });
      return call({ createCommand, writes: false, answer: harnessVersionPageSchema }, signal);
    },
  },
};

/** Id of the runtime that a harness is an abstraction over. `null`: the service does not say it. */
export const readRuntimeOfHarness: Ask<string, string | null> = (call, harnessId, signal) => {
  const createCommand = () => new GetHarnessCommand({ harnessId });
  return call({ createCommand, writes: false, answer: runtimeOfHarnessSchema }, signal);
};

/** Ids of the harnesses of the account and region. */
export const listHarnesses: Ask<Omit<PageOf, 'id'>, TokenPage<string>> = (call, page, signal) => {
  const createCommand = () => new ListHarnessesCommand(page);
  return call({ createCommand, writes: false, answer: harnessPageSchema }, signal);
};
