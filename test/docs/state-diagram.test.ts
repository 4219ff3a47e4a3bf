import { expect, test } from '@jest/globals';
import { stateDiagram } from './state-diagram.ts';

test('states, choices, batches and ends are drawn, and errors are told', () => {
  const definition = {
    StartAt: 'Open it',
    States: {
      'Open it': { Type: 'Task', Next: 'Go on?', Catch: [{ Next: 'No' }] },
      'Go on?': {
        Type: 'Choice',
        Choices: [{ StringEquals: 'yes', Next: 'Work' }],
        Default: 'No',
      },
      Work: {
        Type: 'Map',
        Next: 'Yes',
        ItemProcessor: { StartAt: 'Work once', States: {} },
      },
      Yes: { Type: 'Succeed' },
      No: { Type: 'Fail' },
    },
  };
  expect(stateDiagram(definition).split('\n')).toEqual([
    '```mermaid',
    'stateDiagram-v2',
    '  state "Open it" as OpenIt',
    '  state "Go on?" as GoOn',
    '  state "Work" as Work {',
    '    state "Work once, for each batch" as WorkEach',
    '    [*] --> WorkEach',
    '    WorkEach --> [*]',
    '  }',
    '  state "Yes" as Yes',
    '  state "No" as No',
    '  [*] --> OpenIt',
    '  OpenIt --> GoOn',
    '  GoOn --> Work: yes',
    '  GoOn --> No: otherwise',
    '  Work --> Yes',
    '  Yes --> [*]',
    '  No --> [*]',
    '```',
    '',
    'An error in these states leads to *No* when it outlasts its retries: *Open it*.',
  ]);
});
