import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { ABANDONED_METRIC, abandonedDimensions } from '../../contract/abandoned-metric.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { AskedRequest } from '../../domain/rollout.ts';

/**
 * Writes a line to the log for each rollout that its execution left open, and counts it. The outcome's
 * message stays in the ledger.
 */
export function createAbandonedReport(
  stateMachineArn: string,
): (request: AskedRequest, outcome: Outcome) => void {
  const { namespace, name, service } = ABANDONED_METRIC;
  const stateMachineName = stateMachineArn.split(':').at(-1) ?? '';
  const { stateMachine } = abandonedDimensions(stateMachineName);
  const logger = new Logger({ serviceName: service });
  const metrics = new Metrics({
    namespace,
    serviceName: service,
    defaultDimensions: { stateMachine },
  });
  return ({ rolloutId, runtimeId }, { outcome, reason, cleanup }) => {
    logger.warn('closed a rollout that its execution left open', {
      rolloutId,
      runtimeId,
      outcome,
      reason,
      cleanup,
    });
    metrics.addMetric(name, MetricUnit.Count, 1);
    metrics.publishStoredMetrics();
  };
}
