import {
  CloudWatchClient,
  type MetricDataQuery,
  paginateGetMetricData,
} from '@aws-sdk/client-cloudwatch';
import { inParallel } from '../../domain/in-parallel.ts';
import { type GateAnswer, silent } from '../../gates/gate.ts';
import type { GatePorts } from '../../gates/gates.ts';
import { judgeMetric, type MetricQuestion, seriesOf } from '../../gates/metric-rule.ts';
import { AWS_TIMEOUTS } from '../aws/timeouts.ts';
import { silenceOf } from './silence.ts';

/** GetMetricData takes no more. */
const MOST_QUERIES = 500;

/** How many batches are read at once. The requests of AWS are limited to 50 a second for all callers of an account. */
const CONCURRENT_BATCHES = 4;

/** Compares metrics with their limits. Never throws. @param client @default - one for this account and region */
export function createMetricReader(
  client: CloudWatchClient = new CloudWatchClient({ requestHandler: AWS_TIMEOUTS }),
): GatePorts['metrics'] {
  return async (questions, signal) => {
    const wanted = questions.map(queriesOf);
    // Several rules may divide by the same metric, which costs money each time that it is read.
    const queries = new Map(wanted.flat().map((query) => [query.key, query]));
    const batches = inBatches([...queries.values()]);
    const values = new Map<string, readonly number[]>();
    let silence: GateAnswer | undefined;
    const read = async (batch: readonly Query[]) => {
      try {
        for (const [key, found] of await readBatch(client, batch)) values.set(key, found);
      } catch (error) {
        silence = silenceOf(error);
      }
    };
    // The other batches would have the same error, or make a throttle worse.
    const isOver = () => silence !== undefined || signal?.aborted === true;
    await inParallel(batches, CONCURRENT_BATCHES, read, isOver);
    return questions.map((question, index) => {
      const found = (wanted[index] ?? []).map(({ key }) => values.get(key));
      if (!found.every((each) => each !== undefined)) return silence ?? INCOMPLETE;
      return judgeMetric(question, found);
    });
  };
}

interface Query {
  /** The same for queries that have the same answer. */
  readonly key: string;
  readonly stat: NonNullable<MetricDataQuery['MetricStat']>;
  readonly from: number;
  readonly to: number;
}

function queriesOf({ rule, from, to }: MetricQuestion): Query[] {
  return seriesOf(rule).map(({ metric, statistic }) => {
    const Dimensions = Object.entries(rule.dimensions).map(([Name, Value]) => ({ Name, Value }));
    const stat = {
      Metric: { Namespace: rule.namespace, MetricName: metric, Dimensions },
      Period: rule.periodSeconds,
      Stat: statistic,
    };
    return { key: JSON.stringify([stat, from, to]), stat, from, to };
  });
}

/** One request has one time for all of its queries. */
function inBatches(queries: readonly Query[]): Query[][] {
  const ofEachTime = Map.groupBy(queries, ({ from, to }) => `${from} ${to}`);
  return [...ofEachTime.values()].flatMap((same) => {
    const count = Math.ceil(same.length / MOST_QUERIES);
    return Array.from({ length: count }, (_, index) =>
      same.slice(index * MOST_QUERIES, (index + 1) * MOST_QUERIES),
    );
  });
}

/** The values of each query, by its key. A query is missing when CloudWatch says that it did not find all of them. */
async function readBatch(
  client: CloudWatchClient,
  batch: readonly Query[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const [{ from, to } = { from: 0, to: 0 }] = batch;
  const pages = paginateGetMetricData(
    { client, stopOnSameToken: true },
    {
      MetricDataQueries: batch.map(({ stat }, index) => ({ Id: `q${index}`, MetricStat: stat })),
      StartTime: new Date(from),
      EndTime: new Date(to),
    },
  );
  const found = new Map<string, { readonly values: number[]; isComplete: boolean }>();
  for await (const { MetricDataResults = [] } of pages) {
    for (const { Id = '', Values = [], StatusCode } of MetricDataResults) {
      const before = found.get(Id)?.values ?? [];
      // The status of a query is that of its last page.
      found.set(Id, { values: [...before, ...Values], isComplete: StatusCode === 'Complete' });
    }
  }
  return new Map(
    batch.flatMap(({ key }, index) => {
      const { values = [], isComplete = false } = found.get(`q${index}`) ?? {};
      return isComplete ? [[key, values] as const] : [];
    }),
  );
}

const INCOMPLETE = silent('CloudWatch did not find all data');
