import type { WriteFault } from '../../../../lib/rehearsal/faults.ts';
import type { Exchange, Ordeal } from '../ordeal.ts';

/** A call of the client takes so long at most: the default of `deadlineMs`. */
const LONGEST_CALL_SECONDS = 10;

/** So long after it was handed over to the client a write may be sent: docs/services.md#the-client-as-a-library. */
const LONGEST_HAND_OVER_MS = 2_000;

/** By how many milliseconds a write may reach the service later than it was sent by the rollout. */
export function handOverMs({ wire }: Pick<Ordeal, 'wire'>): number {
  return wire === null ? 0 : LONGEST_HAND_OVER_MS;
}

/**
 * What goes wrong on the wire, as what it means to a rollout: a slow service, lists that cannot be read for a while,
 * and writes of which nobody knows when they are carried out. Where nothing goes wrong on the wire, the client makes no
 * difference.
 */
export function asJudged(ordeal: Ordeal): Ordeal {
  const { wire, latencyMs } = ordeal;
  if (wire === null) return ordeal;
  const { auth, reads, writes, tokens } = wire;
  const ills = { reads: reads.filter(isIll), writes: writes.filter(isIll) };
  const lost = [...ills.reads, ...tokens.filter(isIll)];
  const isSlower = auth === 'client-credentials' && latencyMs > 0;
  if (lost.length + ills.writes.length === 0 && !isSlower) return ordeal;
  const seconds = [...lost, ...ills.writes].reduce(
    (sum, one) => sum + LONGEST_CALL_SECONDS + one.seconds,
    0,
  );
  return {
    ...ordeal,
    latencyMs: LONGEST_CALL_SECONDS * 1000,
    lists: [{ kind: 'UpstreamThrottled', fromSecond: 0, seconds }],
    writes: [...ills.writes, ...tokens.filter(isIll)].flatMap(({ seconds }) =>
      (['roll', 'stop'] as const).map(
        (operation): WriteFault => ({ operation, endpoint: '', nth: 1, kind: 'late', seconds }),
      ),
    ),
  };
}

/** The service may want no calls for so long that nobody can say if the time until then is watched. */
export function asksForLong({ wire }: Pick<Ordeal, 'wire'>): boolean {
  const { reads = [], writes = [], tokens = [] } = wire ?? {};
  return [...reads, ...writes, ...tokens].some(
    ({ retryAfter, seconds }) => seconds >= LONG_SECONDS && ASKS.has(retryAfter),
  );
}

const LONG_SECONDS = 20;
const ASKS: ReadonlySet<string> = new Set(['seconds', 'date']);

function isIll({ kind }: Exchange): boolean {
  return kind !== 'plain';
}
