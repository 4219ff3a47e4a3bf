import { type AskedReading, GATE_VERDICTS, type GateChange, shorten } from '../rollout/gates.ts';

// Where nothing changes, nothing is added: a record stays as small as what has happened.

/** So many changes of a gate in a wave are kept, the newest ones. */
const MOST_OF_ONE = 20;
/** So many gates of a wave are told of. */
const MOST_GATES = 50;
/** So many changes of a rollout are kept. */
const MOST = 200;

/**
 * How the answers of gates have changed, after they were asked once more. A gate that was asked about several endpoints
 * has said the worst of what it said.
 *
 * @param ofEndpoints The kinds of the gates that are asked of each endpoint.
 */
export function noteChanges(
  before: readonly GateChange[],
  readings: readonly AskedReading[],
  at: Pick<GateChange, 'wave' | 'at' | 'isAhead'>,
  ofEndpoints: ReadonlySet<string>,
): readonly GateChange[] {
  const worst = new Map<string, GateChange>();
  for (const { kind, name, verdict, detail, watches, gate: called } of readings) {
    const isOfEndpoint = ofEndpoints.has(kind);
    const gate = shorten(watches ?? (isOfEndpoint ? kind : `${kind} ${called ?? name}`));
    const isOfMany = isOfEndpoint || (called ?? name) !== name;
    const change: GateChange = {
      ...{ gate, ...at, verdict, detail: shorten(isOfMany ? `${name}: ${detail}` : detail) },
      ...(watches !== undefined && { isWatching: true as const }),
    };
    const known = worst.get(keyOf(change));
    if (known === undefined || rankOf(change) < rankOf(known)) worst.set(keyOf(change), change);
  }
  return [...worst.values()].reduce(add, before);
}

function add(changes: readonly GateChange[], change: GateChange): readonly GateChange[] {
  const key = keyOf(change);
  const own = changes.filter((one) => keyOf(one) === key);
  if (own.at(-1)?.verdict === change.verdict) return changes;
  const ofWave = changes.filter(({ wave }) => wave === change.wave);
  if (own.length === 0 && new Set(ofWave.map(keyOf)).size >= MOST_GATES) return changes;
  if (own.length >= MOST_OF_ONE) return [...changes.filter((one) => one !== own[0]), change];
  if (changes.length < MOST) return [...changes, change];
  // What a gate has said last stays, or the same answer would be a change the next time.
  const last = new Map(changes.map((one) => [keyOf(one), one]));
  const oldest = changes.find((one) => last.get(keyOf(one)) !== one) ?? changes[0];
  return [...changes.filter((one) => one !== oldest), change];
}

function keyOf({ wave, gate, isWatching }: GateChange): string {
  return `${wave} ${isWatching === true} ${gate}`;
}

function rankOf({ verdict }: GateChange): number {
  return GATE_VERDICTS.indexOf(verdict);
}
