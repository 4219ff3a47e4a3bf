export const MACHINE_ARN = 'arn:aws:states:eu-central-1:123456789012:stateMachine:steproll';
export const EXECUTIONS_ARN = 'arn:aws:states:eu-central-1:123456789012:execution:steproll';

/** The event by which Step Functions tells that an execution was stopped, with another detail here or there. */
export function statusChange(said: Readonly<Record<string, unknown>> = {}) {
  return {
    version: '0',
    id: '315c1398-40ff-a850-213b-158f73e60175',
    'detail-type': 'Step Functions Execution Status Change',
    source: 'aws.states',
    account: '123456789012',
    time: '2026-11-21T10:00:00Z',
    region: 'eu-central-1',
    resources: [`${EXECUTIONS_ARN}:rollout-1`],
    detail: {
      executionArn: `${EXECUTIONS_ARN}:rollout-1`,
      stateMachineArn: MACHINE_ARN,
      name: 'rollout-1',
      status: 'ABORTED',
      startDate: 1795255200000,
      stopDate: 1795255260000,
      input: '{"schemaVersion":1,"runtimeId":"shop","version":3}',
      inputDetails: { included: true },
      output: null,
      outputDetails: null,
      error: null,
      cause: null,
      ...said,
    },
  };
}
