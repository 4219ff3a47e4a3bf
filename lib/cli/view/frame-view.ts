import type { Endpoint } from '../../domain/endpoint.ts';
import type { Clock } from '../../ports/clock.ts';
import { plainText } from './plain-text.ts';
import type { SeenEndpoints } from './render-endpoints.ts';
import { renderFrame } from './render-frame.ts';
import { modelOf, type RolloutModel } from './rollout-model.ts';
import type { RolloutView } from './rollout-view.ts';
import type { Screen } from './screen.ts';
import { wrapText } from './wrap-text.ts';

export interface FrameView extends RolloutView {
  /** A list that was read by this very process. */
  see(endpoints: readonly Endpoint[]): void;
}

/** Milliseconds between two frames: the countdowns move, and the terminal may be resized. */
const FRAME_MS = 250;

/**
 * Draws a rollout over and over in the same place.
 *
 * @param where What a command needs behind it to find the engine; begins with a space, or is empty.
 */
export function createFrameView(screen: Screen, clock: Pick<Clock, 'now'>, where = ''): FrameView {
  let model: RolloutModel | null = null;
  let seen: SeenEndpoints | null = null;
  let note: string | null = null;
  const draw = () => {
    const frame = model && { model, seen, note, now: clock.now(), where };
    screen.frame(frame ? renderFrame(frame, screen) : renderNote(note, screen));
  };
  const timer = setInterval(draw, FRAME_MS);
  return {
    update(record) {
      if (record !== model?.record) model = modelOf(record);
    },
    note(text) {
      note = text;
    },
    see(endpoints) {
      seen = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
    },
    end() {
      clearInterval(timer);
      draw();
      screen.endFrame();
    },
  };
}

function renderNote(note: string | null, screen: Screen): string[] {
  if (note === null) return [];
  return wrapText(plainText(note), screen.columns).map((line) => screen.style('yellow', line));
}
