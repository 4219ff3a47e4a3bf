import type { EngineOptions } from '../engine/with-engine.ts';

/** What to type to follow a rollout, wherever its engine was named. */
export function watchCommand(rolloutId: string, engine: EngineOptions): string {
  return `steproll rollout watch ${rolloutId}${engineArguments(engine)}`;
}

/** What a command needs behind it to find the engine; begins with a space, or is empty. */
export function engineArguments({ '--engine': engine, '--stack': stack }: EngineOptions): string {
  return engine === 'aws' ? ` --engine aws --stack ${stack}` : '';
}
