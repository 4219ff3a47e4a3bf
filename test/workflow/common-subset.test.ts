import { expect, test } from '@jest/globals';
import { ROLLOUT_DEFINITION } from '../../lib/workflow/definition.ts';
import { beyondCommonSubset } from './common-subset.ts';

test('L09: the definition uses only what both engines run alike', () => {
  expect(beyondCommonSubset(ROLLOUT_DEFINITION)).toEqual([]);
});

test.each([
  ['JSONata', { QueryLanguage: 'JSONata' }],
  ['variables', { Assign: { 'x.$': '$.x' } }],
  ['a heartbeat', { HeartbeatSeconds: 5 }],
  ['a selector of results', { ResultSelector: { 'x.$': '$.x' } }],
  ['an intrinsic function', { Parameters: { 'x.$': "States.Format('{}', $.x)" } }],
  ['the item of a Map', { Parameters: { Payload: { 'x.$': '$$.Map.Item.Value' } } }],
  ['a filter in a path', { OutputPath: '$..x' }],
  ['an index in a path', { ResultPath: '$.x[0]' }],
  ['a Retry that both would read differently', { Retry: [{ ErrorEquals: [], Other: 1 }] }],
  ['a Catch with an output', { Catch: [{ ErrorEquals: [], Next: 'x', Output: {} }] }],
])('a task with %s is refused', (_what, fields) => {
  expect(beyondCommonSubset(machineOf({ Type: 'Task', ...fields }))).toHaveLength(1);
});

test.each([
  ['Parallel', { Type: 'Parallel' }],
  ['a choice by presence', choiceOf({ Variable: '$.x', IsPresent: false, Next: 'x' })],
  ['a choice by not', choiceOf({ Not: { Variable: '$.x', StringEquals: 'x' }, Next: 'x' })],
  ['a wait for a time of day', { Type: 'Wait', TimestampPath: '$.x' }],
  ['a distributed Map', mapOf({ ProcessorConfig: { Mode: 'DISTRIBUTED' } })],
  ['a Map with a selector', { ...mapOf({}), ItemSelector: {} }],
  ['a Map in a Map that waits for a heartbeat', mapOf({ States: { y: heartbeat() } })],
])('%s is refused', (_what, state) => {
  expect(beyondCommonSubset(machineOf(state))).toHaveLength(1);
});

test('a machine with a query language of its own is refused', () => {
  expect(beyondCommonSubset({ States: {}, QueryLanguage: 'JSONata' })).toHaveLength(1);
});

function machineOf(state: object) {
  return { StartAt: 'x', States: { x: state } };
}

function choiceOf(choice: object) {
  return { Type: 'Choice', Choices: [choice] };
}

function mapOf(processor: object) {
  return {
    Type: 'Map',
    ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' }, States: {}, ...processor },
  };
}

function heartbeat() {
  return { Type: 'Task', HeartbeatSeconds: 5 };
}
