import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EngineArguments } from '../../telling/words/stuck.ts';
import type { Screen } from '../terminal/screen.ts';
import type { FrameView } from './frame.ts';
import type { LiveView } from './view.ts';

/**
 * The view that a screen can show: a picture on a terminal, lines anywhere else. Only that one is loaded.
 *
 * @param known The record that was shown before, by another view. @default - nothing was shown
 */
export async function openView(
  screen: Screen,
  clock: Clock,
  engine: EngineArguments,
  known?: AskedRollout,
): Promise<{ readonly view: LiveView; readonly frames: FrameView | null }> {
  if (screen.isLive) {
    const { createFrameView } = await import('./frame.ts');
    const frames = createFrameView(screen, clock, engine);
    return { view: frames, frames };
  }
  const { createLineView } = await import('./lines.ts');
  return { view: createLineView({ screen, clock, engine, known }), frames: null };
}
