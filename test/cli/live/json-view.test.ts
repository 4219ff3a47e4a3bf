import { describe, expect, test } from '@jest/globals';
import { createJsonView } from '../../../lib/cli/live/json-lines.ts';
import { WATCH_LINES, type WatchLine } from '../../../lib/telling/view/watch-lines.ts';
import { signal } from '../../domain/examples.ts';
import { recordsAt } from '../../support/record-at.ts';
import type { Script } from '../../support/run-scenario.ts';
import { scenarioNow } from '../../support/scenario-time.ts';

const stuck = { broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }] };

async function linesAt(seconds: readonly number[], script: Script = {}): Promise<WatchLine[]> {
  const lines: WatchLine[] = [];
  const { records, end } = await recordsAt(seconds, script);
  let now = 0;
  const view = createJsonView((line) => lines.push(line), { now: () => now });
  for (const at of [...records, { record: end, now: end.endedAt ?? 0 }]) {
    ({ now } = at);
    view.update(at.record);
  }
  return lines;
}

describe('JSON lines', () => {
  test('tell events, words and progress as documented, each once', async () => {
    const lines = await linesAt([5, 12, 13, 14, 60, 120, 340], {
      ...stuck,
      async beside(stage) {
        await stage.until(100);
        const said = signal('abort', { at: scenarioNow(), onFailure: 'stop-old' });
        await stage.ledger.signal('rollout-1', said);
      },
    });
    for (const line of lines) expect(WATCH_LINES[line.kind].parse(line)).toEqual(line);
    expect(lines.map(wordOf)).toEqual([
      'Rollout Started',
      'Wave Started',
      'rolling 1/3, 0 converged',
      'Wave Converged',
      'baking 1/3, 1 converged',
      'abort',
      'Rollout Failing',
      'Rollout Ended',
      'ended 1/3, 1 converged',
    ]);
    expect(lines[2]).toEqual({
      kind: 'progress',
      at: '2026-01-01T00:00:05.000Z',
      phase: 'rolling',
      direction: 'forward',
      wave: 1,
      waves: 3,
      secondsLeft: 595,
      wait: {
        ...{ for: 'roll', of: null, wave: 1, since: '2026-01-01T00:00:00.000Z' },
        ...{ until: '2026-01-01T00:10:00.000Z', lookAt: '2026-01-01T00:00:05.000Z' },
      },
      endpoints: { total: 12, pending: 11, inMidRoll: 1, converged: 0, lost: 0 },
    });
  });

  test('a note is a line when it changes', () => {
    const lines: WatchLine[] = [];
    const view = createJsonView((line) => lines.push(line), { now: () => 0 });
    for (const note of ['away', 'away', null, 'away']) view.note(note);
    const line = { kind: 'note', at: '1970-01-01T00:00:00.000Z', message: 'away' };
    expect(lines).toEqual([line, line]);
    expect(WATCH_LINES.note.parse(line)).toEqual(line);
  });
});

function wordOf(line: WatchLine): string {
  if (line.kind === 'event') return line.detailType;
  if (line.kind === 'signal') return line.signal;
  if (line.kind !== 'progress') return line.kind;
  return `${line.phase} ${line.wave}/${line.waves}, ${line.endpoints.converged} converged`;
}
