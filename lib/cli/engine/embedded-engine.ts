import { publishToListener } from '../../adapters/listener/publish-to-listener.ts';
import { RELEASE_EVENT } from '../../domain/trigger/event-names.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Engine } from './engine.ts';

/** The rollouts of this machine: of `rollout start`, and of the listener that runs here. */
export function createEmbeddedEngine(ledger: Ledger, stateDirectory: string): Engine {
  return {
    ledger,
    describeWaiting: async () => null,
    endWaiting: async () => false,
    publish: (release) =>
      publishToListener(stateDirectory, {
        source: RELEASE_EVENT.source,
        'detail-type': RELEASE_EVENT.detailType,
        detail: release,
      }),
  };
}
