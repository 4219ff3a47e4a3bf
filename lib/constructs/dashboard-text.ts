/** What stands at the top of the dashboard, in Markdown. */
export const DASHBOARD_TEXT = `# Rollouts

1. **Does something ring?** The text of each alarm names the section of docs/runbook.md that helps.
2. **Is something rolling?** Calls of *checkWave* are looks at a wave: without them nothing rolls.
3. **Did a rollout fail?** Its execution says why: the error's cause is the outcome's sentence. *Failed steps* has the errors on the way there.
4. **Are there dead letters?** Each is a trigger that started nothing, an execution that was not cleaned up after, or a notification that was not sent.

Writes and errors are those of every deployment in this account and region.`;
