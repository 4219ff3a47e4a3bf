import { HOLD_EVENTS, LIFECYCLE_EVENTS } from '../../lib/contract/event.ts';
import { ROLLOUT_DEFINITION } from '../../lib/workflow/definition.ts';
import { mutantsSummary } from '../mutants/results.ts';
import { faultsMet, simulationResults } from '../scenarios/simulation/results.ts';
import { smallFleetResults } from '../scenarios/small-fleets/results.ts';
import { readSources } from '../support/source-files.ts';
import { actionTables } from './action-tables.ts';
import { cliReference, settingsTable } from './cli-reference.ts';
import { configTables, groupPolicyTable, presetsTable } from './config-tables.ts';
import { membersTable, propsTable } from './construct-tables.ts';
import {
  costOfCloses,
  costOfGroup,
  costOfMonths,
  costOfNothing,
  costOfPolicies,
  costOfQuestions,
  costOfRollouts,
} from './cost-tables.ts';
import { decisionsList } from './decisions-list.ts';
import { endpointReasonsTable, errorsTable } from './errors-page.ts';
import { keyPolicy } from './key-policy.ts';
import { layerGraph } from './layer-graph.ts';
import { lockedTable } from './locked-table.ts';
import {
  configCheckTable,
  eventTables,
  planTable,
  recordTable,
  watchLineTables,
} from './output-tables.ts';
import { promisesList } from './promises.ts';
import { proofNumbers } from './proof-numbers.ts';
import { scenarioTables } from './scenario-tables.ts';
import { alarmMetrics, alarmsTable, stackServices } from './stack-facts.ts';
import { stateDiagram } from './state-diagram.ts';
import { stopTree } from './stop-tree.ts';

export interface GeneratedPart {
  /** From the project's root. */
  readonly file: string;
  /** Name in the marks around the part. */
  readonly name: string;
  readonly render: () => string | Promise<string>;
}

/** What the docs say that the code says already. */
export const GENERATED_PARTS: readonly GeneratedPart[] = [
  {
    file: 'contributing/architecture.md',
    name: 'state machine',
    render: () => stateDiagram(ROLLOUT_DEFINITION),
  },
  {
    file: 'contributing/architecture.md',
    name: 'layers',
    render: () => layerGraph(readSources(['lib', 'functions', 'bin'])),
  },
  { file: 'docs/configuration.md', name: 'configuration reference', render: configTables },
  { file: 'docs/configuration.md', name: 'presets', render: presetsTable },
  { file: 'docs/groups.md', name: 'policy of a group', render: groupPolicyTable },
  { file: 'docs/ci.md', name: 'action', render: actionTables },
  { file: 'docs/cli-reference.md', name: 'commands', render: cliReference },
  { file: 'docs/cli.md', name: 'settings', render: settingsTable },
  { file: 'docs/cli.md', name: 'fields of a plan', render: planTable },
  { file: 'docs/cli.md', name: 'fields of a check', render: configCheckTable },
  { file: 'docs/rehearsal.md', name: 'scenario', render: scenarioTables },
  { file: 'docs/watching.md', name: 'lines of watch', render: watchLineTables },
  { file: 'docs/watching.md', name: 'record of a rollout', render: recordTable },
  {
    file: 'docs/events.md',
    name: 'events of rollouts',
    render: () => eventTables(LIFECYCLE_EVENTS),
  },
  { file: 'docs/events.md', name: 'events of holds', render: () => eventTables(HOLD_EVENTS) },
  { file: 'docs/errors.md', name: 'errors and reasons', render: errorsTable },
  { file: 'docs/errors.md', name: 'reasons of endpoints', render: endpointReasonsTable },
  { file: 'docs/security.md', name: 'locked fields', render: lockedTable },
  { file: 'docs/security.md', name: 'key policy', render: keyPolicy },
  { file: 'docs/permissions.md', name: 'services', render: stackServices },
  { file: 'docs/operations.md', name: 'alarms', render: alarmsTable },
  { file: 'docs/operations.md', name: 'alarm metrics', render: alarmMetrics },
  { file: 'docs/cost.md', name: 'always', render: costOfNothing },
  { file: 'docs/cost.md', name: 'a month', render: costOfMonths },
  { file: 'docs/cost.md', name: 'rollouts', render: costOfRollouts },
  { file: 'docs/cost.md', name: 'presets and bakes', render: costOfPolicies },
  { file: 'docs/cost.md', name: 'checks and queries', render: costOfQuestions },
  { file: 'docs/cost.md', name: 'a group', render: costOfGroup },
  { file: 'docs/cost.md', name: 'closes', render: costOfCloses },
  { file: 'docs/cdk.md', name: 'props of an app', render: propsTable },
  { file: 'docs/cdk.md', name: 'members', render: membersTable },
  { file: 'contributing/decisions/README.md', name: 'decisions', render: decisionsList },
  { file: 'contributing/proof/promises.md', name: 'promises', render: promisesList },
  { file: 'docs/explanation/stops.md', name: 'decision tree of a stop', render: stopTree },
  { file: 'docs/proof.md', name: 'numbers', render: proofNumbers },
  { file: 'contributing/proof/counted.md', name: 'results', render: simulationResults },
  { file: 'contributing/proof/counted.md', name: 'mutants', render: mutantsSummary },
  { file: 'contributing/proof/counted.md', name: 'small fleets', render: smallFleetResults },
  { file: 'contributing/proof/faults.md', name: 'faults', render: faultsMet },
];
