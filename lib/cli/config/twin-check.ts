import type { ListsRead } from './lists.ts';
import { sentenceOf } from './lists.ts';
import type { ConfigCheck, OpenedConfig } from './tried.ts';

/**
 * Whether the same endpoints are under another id as well: those of an AgentCore harness are those of its runtime, which
 * nobody should roll besides. Other configurations are not known here, so a runtime that is beneath a harness is a fault.
 */
export async function twinCheck(
  of: string,
  read: ListsRead | undefined,
  { config, service }: Pick<OpenedConfig, 'config' | 'service'>,
): Promise<ConfigCheck[]> {
  if (service.findTwin === undefined || read === undefined || 'error' in read) return [];
  const about = { check: 'twin', of } as const;
  try {
    const twin = await service.findTwin(of);
    if (twin === null) return [];
    if (twin.what === 'harness') {
      const message = `It is the runtime of the harness ${twin.id}, whose rollouts move its endpoints: roll that one, with service.of "harness", and take this one out.`;
      return [{ ...about, result: 'fault', message }];
    }
    const isBoth = Object.hasOwn(config.runtimes, twin.id);
    const message = isBoth
      ? `Its runtime ${twin.id} is in runtimes, too, and would be rolled twice: take it out.`
      : `Its runtime is ${twin.id}; no other configuration may roll that one.`;
    return [{ ...about, result: isBoth ? 'fault' : 'ok', message }];
  } catch (error) {
    const message = `Not known whether it is rolled under another id, too: ${sentenceOf(error)}`;
    return [{ ...about, result: 'untried', message }];
  }
}
