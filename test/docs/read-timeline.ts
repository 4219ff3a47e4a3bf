import { type Call, isList, isWrite, type ListCall } from '../../lib/rehearsal/calls.ts';
import type { Ordeal } from '../scenarios/simulation/ordeal.ts';
import { QUIET } from '../scenarios/simulation/quiet.ts';
import { tryOrdeal } from '../scenarios/simulation/try-ordeal.ts';
import { START } from '../support/scenario-time.ts';

/** To which simulated rollouts roll. */
const VERSION = 2;

/** One endpoint whose roll takes 12 s, at a service whose list goes on to show how it was at first. */
const OLD_LIST: Ordeal = {
  ...QUIET,
  endpoints: [{ name: 'a', version: 1 }],
  rollSeconds: 12,
  lists: [{ kind: 'frozen', fromSecond: 0, seconds: 7 }],
};

/** What a simulated rollout asks, what the service answers, and what that proves, as a Mermaid sequence diagram. */
export async function readTimeline(): Promise<string> {
  const { calls } = await tryOrdeal(OLD_LIST);
  const text = ['sequenceDiagram', 'participant R as rollout', 'participant S as service'];
  const lines = [...text, ...drawCalls(calls)];
  return `\`\`\`mermaid\n${lines.map((line, at) => (at === 0 ? line : `  ${line}`)).join('\n')}\n\`\`\``;
}

function drawCalls(calls: readonly Call[]): string[] {
  const sent = calls.filter((call) => isList(call) || isWrite(call));
  // Reads of one moment show the same, and are drawn once.
  const drawn = sent.filter((call, at) => isWrite(call) || call.at !== sent[at - 1]?.at);
  const firstLive = drawn.find((call) => isList(call) && liveIn(call) === VERSION);
  const rolledAt = drawn.find(isWrite)?.at ?? Number.POSITIVE_INFINITY;
  return drawn.flatMap((call) => {
    const ask = `R->>S: ${Math.round((call.at - START) / 1000)} s`;
    if (isWrite(call))
      return [`${ask}: roll a to version ${call.version}`, `S-->>R: ${call.answer}`];
    const asked = [`${ask}: list`, `S-->>R: target ${targetIn(call)}, live ${liveIn(call)}`];
    return call.at <= rolledAt ? asked : [...asked, `Note over R: ${proofOf(call, firstLive)}`];
  });
}

function proofOf(read: ListCall, firstLive: Call | undefined): string {
  if (targetIn(read) !== VERSION) return 'an old answer, or a lost roll: nothing is sent again';
  if (liveIn(read) !== VERSION) return 'on its way';
  return read === firstLive ? 'seen live once' : 'converged';
}

function targetIn({ endpoints }: ListCall): number | null | undefined {
  return endpoints?.[0]?.targetVersion;
}

function liveIn({ endpoints }: ListCall): number | null | undefined {
  return endpoints?.[0]?.liveVersion;
}
