import type { ServiceAbilities } from '../../domain/endpoint/abilities.ts';
import { DEFAULT_POLICY } from '../../domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';

/** What a service can do that has the interface of docs/interface.md. */
export const REST_ABILITIES: ServiceAbilities = {
  stops: true,
  repeatsRolls: false,
  listsVersions: false,
  highestVersion: null,
  movedByService: [],
};

export const AGENTCORE_ABILITIES = {
  stops: false,
  repeatsRolls: true,
  listsVersions: true,
  /** A version has at most five digits there. */
  highestVersion: 99_999,
  movedByService: ['DEFAULT'],
} as const satisfies ServiceAbilities;

/** `rest`: any service with the interface of docs/interface.md. `agentcore`: Amazon Bedrock AgentCore Runtime. */
export const SERVICE_KINDS = ['rest', 'agentcore'] as const;
export type ServiceKind = (typeof SERVICE_KINDS)[number];

interface KnownService {
  readonly name: string;
  readonly abilities: ServiceAbilities;
  /** The policy of its rollouts that holds unless the configuration says otherwise. */
  readonly policy: RolloutPolicy;
}

export const SERVICES: Readonly<Record<ServiceKind, KnownService>> = {
  rest: { name: 'a service with a base URL', abilities: REST_ABILITIES, policy: DEFAULT_POLICY },
  agentcore: {
    name: 'Amazon Bedrock AgentCore Runtime',
    abilities: AGENTCORE_ABILITIES,
    policy: {
      ...DEFAULT_POLICY,
      onFailure: 'roll-back',
      statuses: {
        failed: ['*_FAILED'],
        stopped: ['DELETING'],
        serving: ['READY'],
        busy: ['CREATING', 'UPDATING'],
        unknown: 'wait',
      },
    },
  },
};
