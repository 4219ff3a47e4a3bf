import type { AskedRollout } from '../../domain/rollout/record.ts';
import { decideTakenBack } from '../../domain/signals/signals.ts';
import { signalsThatCount } from '../frame/signals-that-count.ts';
import { type Condition, GO } from './condition.ts';

/** No person has aborted it, and no newer rollout waits for it to give way. */
export const notTakenBack: Condition<Pick<AskedRollout, 'signals'>> = {
  async ask({ signals }, ports) {
    const ending = decideTakenBack(await signalsThatCount(signals, ports));
    return ending === null ? GO : { decision: 'end', ending };
  },
  foresee: null,
};
