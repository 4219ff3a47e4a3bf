import type { ServiceAbilities } from '../../domain/endpoint/abilities.ts';

/** What a service can do that has the interface of docs/interface.md. */
export const REST_ABILITIES: ServiceAbilities = {
  stops: true,
  repeatsRolls: false,
  listsVersions: false,
  highestVersion: null,
  movedByService: [],
};
