import { commandOf } from '../command.ts';
import { nounOf } from '../rollout/group.ts';

/**
 * The command for an endpoint that is not there, or was stopped for good. Without a version the service chooses one, and after
 * a stop that may be the version that has failed.
 */
export function toCreate(what: 'one' | 'a new one', runtime: string): string {
  const version = what === 'a new one' ? ['--version', 'N'] : [];
  const words = ['agent', 'runtime', 'endpoint', 'create', runtime, '--name', 'NAME', ...version];
  return `To create ${what}: "${commandOf(words)}".`;
}

/** The same at the end of a sentence about a runtime or a group, of which no command creates a runtime. */
export function adviceToCreate(what: 'one' | 'a new one', runtimeId: string): string {
  return nounOf(runtimeId) === 'endpoint' ? ` ${toCreate(what, runtimeId)}` : '';
}
