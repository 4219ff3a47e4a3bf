import type { ServiceAbilities } from '../../domain/endpoint/abilities.ts';

/** What a service can do that has the interface of docs/interface.md. */
export const REST_ABILITIES: ServiceAbilities = {
  stops: true,
  repeatsRolls: false,
  listsVersions: false,
  highestVersion: null,
  movedByService: [],
};

/** What Amazon Bedrock AgentCore Runtime can do. */
export const AGENTCORE_ABILITIES = {
  stops: false,
  repeatsRolls: true,
  listsVersions: true,
  /** A version has at most five digits there. */
  highestVersion: 99_999,
  movedByService: ['DEFAULT'],
} as const satisfies ServiceAbilities;
