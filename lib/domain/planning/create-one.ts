import { commandOf } from '../command.ts';
import { nounOf } from '../rollout/group.ts';

/** The command for an endpoint that is not there, or was stopped for good. */
export function toCreate(what: 'one' | 'a new one', runtime: string): string {
  return `To create ${what}: "${commandOf(['agent', 'runtime', 'endpoint', 'create', runtime, '--name', 'NAME'])}".`;
}

/** The same at the end of a sentence about a runtime or a group, of which no command creates a runtime. */
export function adviceToCreate(what: 'one' | 'a new one', runtimeId: string): string {
  return nounOf(runtimeId) === 'endpoint' ? ` ${toCreate(what, runtimeId)}` : '';
}
