/** An execution is named after its rollout. */
export function executionArnOf(stateMachineArn: string, rolloutId: string): string {
  return `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${rolloutId}`;
}
