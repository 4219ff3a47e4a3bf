import { parseConfig } from '../../lib/contract/config/config.ts';

/** What people are told is wrong with a configuration, a line for each mistake. @throws where nothing is */
export function configMistakes(config: unknown): string[] {
  try {
    parseConfig(config);
  } catch (error) {
    return (error as Error).message.split('\n  ').slice(1);
  }
  throw new Error('nothing was thrown');
}
