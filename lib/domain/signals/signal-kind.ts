import type { Instant } from '../clock.ts';
import type { Containment } from '../containment/failure-policies.ts';
import type { WriteOperation } from '../endpoint/journal.ts';
import type { Ending } from '../rollout/outcome.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { FailurePolicy } from '../rollout/policy.ts';
import type { AskedRollout, RolloutRecord, Signal, WaveProgress } from '../rollout/record.ts';

/**
 * One kind of signal: what it is called, what follows from it, and in which words. Each part that reads signals gets
 * all of a rollout, because of several signals of a kind now the first decides and now the last. Where two kinds answer,
 * the one that stands first in `SIGNALS` decides.
 */
export interface SignalKind {
  /** Its name in the ledger, and that of its command. */
  readonly kind: string;
  /**
   * Whether it still counts, while the rollout that sent it stands like this.
   *
   * @param sender `null`: nobody has recorded it.
   * @default - it always counts
   */
  readonly counts?: (sender: AskedRollout | null, now: Instant) => boolean;
  /** What is not written any more after it. @default - it ends no writes */
  readonly limit?: {
    /** Whether a write of this kind may still be sent. `undefined`: it was not said, so it does not decide. */
    mayWrite(operation: WriteOperation, signals: readonly Signal[]): boolean | undefined;
    /** The reason that the journal has for a stop that is not made because of it. */
    readonly callOff: string;
  };
  /** What follows from it at a look at the wave. @default - nothing */
  readonly decide?: (look: SignalContext) => SignalEffect | undefined;
  /** How it ends a rollout that has no plan yet. @default - it does not */
  readonly endEarly?: (signals: readonly Signal[]) => Ending | undefined;
  /** The ending of a rollout that was about to end in another way. @default - that other way */
  readonly endLate?: (ending: Ending, record: Pick<AskedRollout, 'signals' | 'journal'>) => Ending;
  /** What it answers to the wave that it names, which waits for an approval. @default - it is no answer */
  readonly answer?: 'pass' | 'fail';
  /** It ends the bake of the wave that it names, or with `isFull` of all waves from that one on. @default - it ends none */
  readonly endsBake?: true;
  /** What happened, as a sentence without its end: `ann approved wave 1: looks good`. */
  readonly describe: (signal: Signal) => string;
  /** @default - no person sends it */
  readonly command?: SignalCommand;
}

export interface SignalContext {
  readonly record: RolloutRecord;
  readonly plan: RolloutPlan;
  readonly progress: WaveProgress;
}

/** What a rollout was told: to end, or to fail and to do with the endpoints what its failure policy says. */
export type SignalEffect =
  /** `null`: a rollback ends where it is, with the ending for which it began. */
  | { readonly next: 'close'; readonly ending: Ending | null }
  | {
      readonly next: 'contain';
      readonly ending: Ending;
      /** @default - that of the rollout's policy */
      readonly onFailure?: FailurePolicy | undefined;
    };

/**
 * How a person sends a signal: by a command of `steproll rollout`, and by a button of the console. An answer to a wave,
 * and the end of a bake, also have the option `--wave`, and the end of a bake `--full`.
 */
export interface SignalCommand {
  /** What the list of commands says of it. */
  readonly description: string;
  /** What its options do not say, and examples. `ID` stands for the id of a rollout. */
  readonly help: string;
  /** The option that says what happens to the endpoints that were rolled. @default - it has none */
  readonly policy?: {
    readonly option: '--on-abort' | '--on-failure';
    readonly help: string;
    /** @default - that of the rollout's policy */
    readonly otherwise?: FailurePolicy;
  };
  /** What will follow. The console says it before it asks. */
  readonly consequence: (containment: Consequence) => string;
  readonly sent: (signal: Signal, containment: Consequence) => string;
}

type Consequence = Pick<Containment, 'halt' | 'consequence'>;

/** `wave 2`, of a signal that names one. */
export function waveOf({ wave }: Pick<Signal, 'wave'>): string {
  return `wave ${(wave ?? 0) + 1}`;
}

export function namesWave({ answer, endsBake }: SignalKind): boolean {
  return answer !== undefined || endsBake === true;
}

export function senderOf({ by }: Pick<Signal, 'by'>): string {
  return by === '' ? 'Somebody' : by;
}

/** The reason of a signal, behind what it says. It may be empty. */
export function whyOf({ reason }: Pick<Signal, 'reason'>): string {
  return reason === '' ? '' : `: ${reason}`;
}

/** What a person says with a signal. */
export interface SignalRequest {
  readonly reason: string;
  /** 1-based. @default - the wave that waits or bakes, if the signal names one */
  readonly wave?: number | undefined;
  /** Whether the bakes of all waves that follow are ended, too. @default false */
  readonly isFull?: boolean | undefined;
  /** @default - that of the rollout's policy, if the signal takes one */
  readonly onFailure?: FailurePolicy | undefined;
}
