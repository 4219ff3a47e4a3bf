import { readEnvironment } from '../../adapters/machine/environment.ts';
import type { SteprollError } from '../../domain/errors.ts';
import { groupIdOf } from '../../domain/rollout/group.ts';
import { type AboutRollout, namesRuntime } from '../../telling/words/errors.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { settingsBeforeConfig } from '../settings/load-settings.ts';
import { engineArguments, engineOf, withHistory } from './open-engine.ts';

/** What was asked for when a command failed, so that the way on can be typed as it stands there. */
export async function aboutError(
  error: SteprollError,
  invocation: Invocation,
): Promise<AboutRollout> {
  const { given } = invocation;
  const { 'rollout-id': own, '--group': group } = given;
  const engine = engineOf(invocation);
  const about = {
    rolloutId: error.holder ?? textIn(own),
    runtimeId: textIn(group) ? groupIdOf(String(group)) : textIn(given['runtime-id'] ?? given.id),
    version: textIn(given['--version']),
    engine: engineArguments(engine),
    config: textIn(settingsBeforeConfig(given, readEnvironment()).get('--config')?.value),
  };
  const isAsked = about.runtimeId === undefined && namesRuntime(error.name, about);
  if (!isAsked || typeof own !== 'string') return about;
  // The command names a rollout. The hint must not get lost with what the ledger could add to it.
  const request = await withHistory(engine, ({ ledger }) => ledger.readSummary(own)).catch(
    () => null,
  );
  if (request === null) return about;
  return { ...about, runtimeId: request.runtimeId, version: request.desiredVersion };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
