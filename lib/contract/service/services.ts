import type { ServiceAbilities } from '../../domain/endpoint/abilities.ts';
import { DEFAULT_POLICY } from '../../domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { WireMapping } from './wire.ts';

/** What a service can do that has the interface of docs/services.md. */
export const REST_ABILITIES: ServiceAbilities = {
  stops: true,
  repeatsRolls: false,
  listsVersions: false,
  highestVersion: null,
  movedByService: [],
};

/** The same with what the configuration says of it. */
export function abilitiesWith({ sessions }: Pick<WireMapping, 'sessions'>): ServiceAbilities {
  const isKnown = Object.values(sessions).some((said) => said !== 'unknown');
  return isKnown
    ? { ...REST_ABILITIES, sessions: { ...sessions, source: 'wire.sessions' } }
    : REST_ABILITIES;
}

export const AGENTCORE_ABILITIES = {
  stops: false,
  repeatsRolls: true,
  listsVersions: true,
  /** A version has at most five digits there. */
  highestVersion: 99_999,
  movedByService: ['DEFAULT'],
  /**
   * https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/runtime-filesystem-configurations.html: session storage
   * "resets on version update". No page was found that says which version a running session is on after an update.
   */
  sessions: {
    goOn: 'unknown',
    stateKept: 'no',
    source: 'AWS: session storage resets on version update',
  },
} as const satisfies ServiceAbilities;

/** `rest`: any service with the interface of docs/services.md. `agentcore`: Amazon Bedrock AgentCore. */
export const SERVICE_KINDS = ['rest', 'agentcore'] as const;
export type ServiceKind = (typeof SERVICE_KINDS)[number];

/** What has versions and endpoints in AgentCore. A harness is an abstraction over a runtime, which AgentCore manages. */
export const AGENTCORE_RESOURCES = ['runtime', 'harness'] as const;
export type AgentCoreResource = (typeof AGENTCORE_RESOURCES)[number];

/** A service in one word, for the command line and profiles. */
export const SERVICE_WORDS = [...SERVICE_KINDS, 'agentcore-harness'] as const;

/** The kind of service that a word names, and with AgentCore of which resource. */
export function serviceOfWord(word: unknown): {
  readonly kind: ServiceKind;
  readonly of?: AgentCoreResource;
} {
  if (word === 'agentcore-harness') return { kind: 'agentcore', of: 'harness' };
  return word === 'agentcore' ? { kind: 'agentcore', of: 'runtime' } : { kind: 'rest' };
}

/** Harnesses have a URL of their own below the control plane's, because the same URL means the same endpoints. */
export function urlOfResource(controlPlane: string, of: AgentCoreResource): string {
  return of === 'harness' ? `${controlPlane}/harnesses` : controlPlane;
}

/** The service whose URL on AWS this is. `null`: it is none of AWS. */
export function serviceOnAws(
  url: string,
): { readonly word: (typeof SERVICE_WORDS)[number]; readonly region: string } | null {
  const [, region, harnesses] = ON_AWS.exec(url) ?? [];
  if (region === undefined) return null;
  return { word: harnesses === undefined ? 'agentcore' : 'agentcore-harness', region };
}

const ON_AWS = /^https:\/\/bedrock-agentcore-control\.([a-z0-9-]+)\.[^/]+(\/harnesses)?$/;

interface KnownService {
  readonly name: string;
  readonly abilities: ServiceAbilities;
  /** The policy of its rollouts that holds unless the configuration says otherwise. */
  readonly policy: RolloutPolicy;
}

export const SERVICES: Readonly<Record<ServiceKind, KnownService>> = {
  rest: { name: 'a service with a base URL', abilities: REST_ABILITIES, policy: DEFAULT_POLICY },
  agentcore: {
    name: 'Amazon Bedrock AgentCore',
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
