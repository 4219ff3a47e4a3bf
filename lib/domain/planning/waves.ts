import { type Attributes, describeWhere, fits, type Where } from '../endpoint/attributes.ts';
import { asSaid, type PlannedEndpoint } from '../endpoint/endpoint.ts';
import type { PlannedWave, RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy, Wave, WaveSize } from '../rollout/policy.ts';
import { matchesName } from './selection.ts';

/**
 * Splits endpoints into waves, in which they keep their order. Sizes are cumulative: `1, 25 %, 100 %` of 12 endpoints is 1, then 2 more, then 9 more.
 * A wave of names takes the remaining endpoints with these names. In a ring, sizes are cumulative within the ring. An entry
 * that adds no endpoint makes no wave. The last wave is 100 % and takes all that is left.
 *
 * The bake time of an entry that adds no endpoint is not lost. The wave before the entry takes it over, if it is longer
 * than the wave's own. When there is no wave before, the first wave takes it over in the same way. Its windows are lost.
 */
export function splitWaves(
  endpoints: readonly PlannedEndpoint[],
  policy: Pick<RolloutPolicy, 'waves' | 'bakeSeconds'>,
): Pick<RolloutPlan, 'endpoints' | 'waves'> {
  const ordered: PlannedEndpoint[] = [];
  const waves: PlannedWave[] = [];
  const late = new Set(endpoints.filter((one) => unknownRings(one, policy).length > 0));
  let rest = [...endpoints.filter((one) => !late.has(one)), ...late];
  let handedOn = 0;
  for (const [index, wave] of policy.waves.entries()) {
    const isLast = index === policy.waves.length - 1;
    const known = isLast ? rest : rest.filter((one) => !late.has(one));
    const taken = takeWave(wave, { endpoints, rest, known, before: ordered.length });
    const bakeSeconds = Math.max(wave.bakeSeconds ?? policy.bakeSeconds, handedOn);
    handedOn = 0;
    if (taken.length === 0) {
      const before = waves.pop();
      if (before === undefined) handedOn = bakeSeconds;
      else waves.push({ ...before, bakeSeconds: Math.max(before.bakeSeconds, bakeSeconds) });
      continue;
    }
    const from = ordered.length;
    ordered.push(...taken);
    waves.push({
      ...{ from, to: ordered.length, bakeSeconds },
      ...(wave.windows && {
        windows: wave.windows.map(({ days, ...one }) => ({ ...one, days: [...days] })),
      }),
      ...('where' in wave && { where: wave.where }),
    });
    const isTaken = new Set(taken);
    rest = rest.filter((endpoint) => !isTaken.has(endpoint));
  }
  return { endpoints: ordered, waves };
}

/**
 * The rings of which nobody knows whether an endpoint belongs to one of them, because nobody has said its attributes. Such an
 * endpoint goes in the last wave, unless an earlier one surely means it by its name, or by other attributes.
 */
function unknownRings(
  planned: PlannedEndpoint,
  { waves }: Pick<RolloutPolicy, 'waves'>,
): readonly Where[] {
  return waves.flatMap((wave) =>
    'where' in wave && fits(attributesOf(planned), wave.where) === 'unknown' ? [wave.where] : [],
  );
}

/** The endpoints of a plan that go last because of that, and the attributes that nobody has said of one of them. */
export function ringsUnknownIn(
  { endpoints, waves }: Pick<RolloutPlan, 'endpoints' | 'waves'>,
  policy: Pick<RolloutPolicy, 'waves'>,
) {
  const late = endpoints.slice(waves.at(-1)?.from).flatMap((planned) => {
    const { attributes } = attributesOf(planned);
    const names = unknownRings(planned, policy).flatMap((where) => Object.keys(where));
    const unsaid = names.filter((name) => !Object.hasOwn(attributes, name));
    return unsaid.length === 0 ? [] : [{ planned, unsaid }];
  });
  return {
    endpoints: late.map(({ planned }) => planned),
    attributes: [...new Set(late.flatMap(({ unsaid }) => unsaid))],
  };
}

function attributesOf(planned: PlannedEndpoint): { readonly attributes: Attributes } {
  return { attributes: asSaid(planned).attributes ?? {} };
}

interface Unsplit {
  readonly endpoints: readonly PlannedEndpoint[];
  /** Those that no wave has taken. */
  readonly rest: readonly PlannedEndpoint[];
  /** Those of them that a wave of any endpoints may take. */
  readonly known: readonly PlannedEndpoint[];
  /** How many were taken. */
  readonly before: number;
}

function takeWave(
  wave: Wave,
  { endpoints, rest, known, before }: Unsplit,
): readonly PlannedEndpoint[] {
  if ('names' in wave) {
    return rest.filter((planned) => {
      return matchesName({ id: planned.endpointId, name: asSaid(planned).name }, wave.names);
    });
  }
  const fill = (of: readonly PlannedEndpoint[], size: WaveSize, total: number, taken: number) =>
    of.slice(0, Math.max(0, endpointsOf(size, total) - taken));
  if (!('where' in wave)) return fill(known, wave, endpoints.length, before);
  const isInRing = (one: PlannedEndpoint) => fits(attributesOf(one), wave.where) === 'yes';
  const left = rest.filter(isInRing);
  const total = endpoints.filter(isInRing).length;
  return fill(left, sizeIn(wave), total, total - left.length);
}

/** How many a wave has, or had with those before it. A ring without a size is all of it, and so are all with these names. */
export function sizeIn(wave: Wave): WaveSize {
  return isSized(wave) ? wave : { percent: 100 };
}

function isSized(wave: Wave): wave is Wave & WaveSize {
  return 'endpoints' in wave || 'percent' in wave;
}

/** A size as a number of endpoints: rounded down, but at least 1 and at most `total`. */
export function endpointsOf(size: WaveSize, total: number): number {
  const wanted = 'endpoints' in size ? size.endpoints : shareOf(size.percent, total);
  return Math.min(total, Math.max(1, wanted));
}

/** Writes a size for people, and as the command line takes it unless it is a ring: `1`, `25%`, `name:canary-*`. */
export function describeSize(size: Wave): string {
  if ('names' in size) return size.names.map((name) => `name:${name}`).join('+');
  const most = sizeIn(size);
  const count = 'endpoints' in most ? `${most.endpoints}` : `${most.percent}%`;
  return 'where' in size ? `${count} of ${describeWhere(size.where)}` : count;
}

/** 2.3 % of 3,000 is 69, although binary fractions come out slightly lower. */
function shareOf(percent: number, total: number): number {
  return Math.floor((percent * total) / 100 + 1e-9);
}
