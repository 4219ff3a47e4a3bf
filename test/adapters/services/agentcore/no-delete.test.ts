import { expect, test } from '@jest/globals';
import { readSources } from '../../../support/source-files.ts';

const CONTROL_PLANE = '@aws-sdk/client-bedrock-agentcore-control';

test('steproll knows no call that deletes an endpoint, a version or a runtime', () => {
  const files = readSources(['lib', 'functions', 'bin']);
  const callers = files.filter(({ loads }) => loads.includes(CONTROL_PLANE));
  const commands = callers.flatMap(({ code }) => code.match(/\b[A-Z]\w*Command\b/g) ?? []);

  expect([...new Set(commands)].toSorted()).toEqual([
    'CreateAgentRuntimeEndpointCommand',
    'CreateHarnessEndpointCommand',
    'GetAgentRuntimeEndpointCommand',
    'GetHarnessCommand',
    'ListAgentRuntimeEndpointsCommand',
    'ListAgentRuntimeVersionsCommand',
    'ListHarnessEndpointsCommand',
    'ListHarnessVersionsCommand',
    'ListHarnessesCommand',
    'UpdateAgentRuntimeEndpointCommand',
    'UpdateHarnessEndpointCommand',
  ]);
});
