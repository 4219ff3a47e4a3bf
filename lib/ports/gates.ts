import type { Probe } from '../domain/rollout/policy.ts';
import type { MetricQuestion } from '../domain/wave/metrics.ts';

/**
 * The questions besides the list that are asked before a wave is trusted. Nothing here ever throws: silence is an
 * answer.
 */
export interface Gates {
  /** Asks an endpoint's URL once. When it cannot be asked at all, the answer is `unknown`. */
  probe(url: string, probe: Probe): Promise<GateAnswer>;
  /** Reads the CloudWatch alarm of this name. When there is no such alarm or no data, the answer is `unknown`. */
  alarm(name: string): Promise<GateAnswer>;
  /** Reads metrics of CloudWatch and judges them. There is one answer for each question, in the same order. Each has a whole period. */
  metrics(questions: readonly MetricQuestion[]): Promise<readonly GateAnswer[]>;
}

export interface GateAnswer {
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** The answer for people: `200`, `503`, `no answer in 5 s`, `ALARM`, `12 in 3 min`. It never contains a body. */
  readonly detail: string;
  /** What a person has to do, because the answer will always be `unknown` until then. @default - waiting may help */
  readonly mend?: string;
}
