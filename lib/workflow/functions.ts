export const WORKFLOW_FUNCTIONS = [
  'openRollout',
  'roll',
  'look',
  'turnAround',
  'stop',
  'closeRollout',
] as const;
export type WorkflowFunction = (typeof WORKFLOW_FUNCTIONS)[number];

/** Where a deployment says the partition of AWS that it is in: `aws`, `aws-cn`, `aws-us-gov`. */
export const PARTITION = 'partition';

/** The ARN of what Step Functions does by itself, in whichever partition it is deployed. */
export function integrationOf<Name extends string>(name: Name) {
  return `arn:\${${PARTITION}}:states:::${name}` as const;
}

/** The placeholder that a deployment replaces with the function's ARN. */
export function placeholderOf(name: WorkflowFunction): string {
  return `\${${name}}`;
}

/** Seconds until the workflow gives up a call: longer than the function's own timeout, so the function ends first. */
export const TASK_TIMEOUT_SECONDS: Readonly<Record<WorkflowFunction, number>> = {
  openRollout: 150,
  roll: 330,
  look: 330,
  turnAround: 150,
  stop: 630,
  closeRollout: 90,
};

/** Seconds by which a function's own timeout is shorter than its task's. */
export const FUNCTION_TIMEOUT_MARGIN_SECONDS = 30;
