import {
  type AskedReading,
  GATE_VERDICTS,
  type GateCourse,
  type GateLine,
  shorten,
} from '../rollout/gates.ts';
import type { WaveProgress } from '../rollout/record.ts';

// Where nothing changes, the log gets no line, so it stays as small as what has happened.

/** So many changes of a gate have a line each. After them there is one within each of these times. */
const MOST_LINES = 20;
const RARE_MS = 3_600_000;
/** So many gates of a rollout are told of. */
const MOST_GATES = 50;

type Told = Pick<WaveProgress, 'gateCourses' | 'news'>;

/**
 * How the gates have answered, after they were asked once more, and what the log gets of it. A gate that was asked about
 * several endpoints has said the worst of what it said.
 *
 * @param ofEndpoints The kinds of the gates that are asked of each endpoint.
 */
export function tellCourses(
  { gateCourses = [], news = [] }: Told,
  readings: readonly AskedReading[],
  at: Pick<GateLine, 'wave' | 'at' | 'isAhead'>,
  ofEndpoints: ReadonlySet<string>,
): Required<Told> {
  const courses = new Map(gateCourses.map((course) => [keyOf(course), course]));
  const lines: GateLine[] = [];
  for (const [key, said] of worstOf(readings, at, ofEndpoints)) {
    const before = courses.get(key);
    if (before === undefined && courses.size >= MOST_GATES) continue;
    const isNews = before === undefined || before.verdict !== said.verdict;
    const isFirstOfWave = before?.wave !== said.wave;
    const isOneOfMany = before !== undefined && before.lines >= MOST_LINES;
    const isRareEnough = !isOneOfMany || said.at - before.lineAt >= RARE_MS;
    const isTold = (isNews && isRareEnough) || isFirstOfWave;
    if (isTold) lines.push({ ...said, ...(isOneOfMany && { isOneOfMany }) });
    courses.set(key, nextCourse(before, said, isNews, isTold));
  }
  return { gateCourses: [...courses.values()], news: [...news, ...lines] };
}

function worstOf(
  readings: readonly AskedReading[],
  at: Pick<GateLine, 'wave' | 'at' | 'isAhead'>,
  ofEndpoints: ReadonlySet<string>,
): ReadonlyMap<string, GateLine> {
  const worst = new Map<string, GateLine>();
  for (const { kind, name, verdict, detail, watches, gate: called } of readings) {
    const isOfEndpoint = ofEndpoints.has(kind);
    const gate = shorten(watches ?? (isOfEndpoint ? kind : `${kind} ${called ?? name}`));
    const isOfMany = isOfEndpoint || (called ?? name) !== name;
    const said: GateLine = {
      ...{ kind: 'gate', gate, ...at, verdict },
      detail: shorten(isOfMany ? `${name}: ${detail}` : detail),
      ...(watches !== undefined && { isWatching: true as const }),
    };
    const known = worst.get(keyOf(said));
    if (known === undefined || rankOf(said) < rankOf(known)) worst.set(keyOf(said), said);
  }
  return worst;
}

function nextCourse(
  before: GateCourse | undefined,
  { gate, isWatching, wave, verdict, at }: GateLine,
  isNews: boolean,
  isTold: boolean,
): GateCourse {
  const { asked = 0, noes = 0, silent = 0, lines = 0, lineAt = at } = before ?? {};
  const lastNoAt = verdict === 'fail' ? at : before?.lastNoAt;
  return {
    ...{ gate, wave, verdict },
    ...(isWatching && { isWatching }),
    since: isNews ? at : (before?.since ?? at),
    asked: asked + 1,
    noes: noes + (verdict === 'fail' ? 1 : 0),
    silent: silent + (verdict === 'unknown' ? 1 : 0),
    ...(lastNoAt !== undefined && { lastNoAt }),
    lines: lines + (isTold ? 1 : 0),
    lineAt: isTold ? at : lineAt,
  };
}

function keyOf({ gate, isWatching }: Pick<GateLine, 'gate' | 'isWatching'>): string {
  return `${isWatching === true} ${gate}`;
}

function rankOf({ verdict }: GateLine): number {
  return GATE_VERDICTS.indexOf(verdict);
}
