import type { Probe } from '../domain/rollout/policy.ts';

/** What is asked before a wave is trusted, besides the list. Nothing here ever throws: silence is an answer. */
export interface Gates {
  /** Asks an endpoint's URL once. What keeps it from being asked at all is `unknown`. */
  probe(url: string, probe: Probe): Promise<GateAnswer>;
  /** The CloudWatch alarm of this name. No such alarm and no data are `unknown`. */
  alarm(name: string): Promise<GateAnswer>;
}

export interface GateAnswer {
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** For people: `200`, `503`, `no answer in 5 s`, `ALARM`. Never a body. */
  readonly detail: string;
}
