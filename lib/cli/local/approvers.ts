import type { Approvers } from '../../contract/config/approvers.ts';
import { invalidInput } from '../../contract/input/parse-input.ts';
import { PERSONAL_SIGNALS } from '../../domain/signals/signals.ts';
import type { ListenerServerOptions } from '../../listener/server.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { sendAsked, tellSent } from '../rollout/signal.ts';

/** Nobody guesses it, and nobody types it. */
const SHORTEST_TOKEN = 20;

/**
 * The people who may answer, with their tokens. A token stays what it is until the listener ends.
 *
 * @throws `SecretUnavailable`, and `InvalidInput` for tokens that prove too little. No message has a token.
 */
export async function openPeople(
  approvers: Approvers = {},
  ledger: Ledger,
  isAbandoned: (rolloutId: string) => Promise<boolean>,
): Promise<Required<ListenerServerOptions>['people']> {
  const tokens = await readTokens(approvers);
  return {
    tokens,
    async answer(person, rolloutId, name, said) {
      const kind = PERSONAL_SIGNALS.find((one) => one.kind === name);
      if (kind === undefined) throw new TypeError(`There is no signal ${name}.`);
      const caller = async () => ({ arn: person, userId: person });
      const signal = await sendAsked(kind, rolloutId, said, { ledger, caller });
      return (await tellSent(rolloutId, signal, { ledger, listens: true, isAbandoned })).sentence;
    },
  };
}

async function readTokens(approvers: Approvers): Promise<ReadonlyMap<string, string>> {
  const named = Object.entries(approvers);
  if (named.length === 0) return new Map();
  const { createSecretReader } = await import('../../adapters/credentials/secrets.ts');
  const readSecret = createSecretReader();
  const tokens = new Map<string, string>();
  const mistakes: string[] = [];
  for (const [name, source] of named) {
    const token = await readSecret(source);
    mistakes.push(...faultsOfToken(token, tokens).map((fault) => `approvers.${name}: ${fault}`));
    tokens.set(name, token);
  }
  if (mistakes.length > 0) throw invalidInput('configuration', mistakes);
  return tokens;
}

/** Why a token proves too little. No sentence has the token. @param others Those of people that are known already. */
export function faultsOfToken(token: string, others: ReadonlyMap<string, string>): string[] {
  const other = [...others].find(([, one]) => one === token)?.[0];
  return [
    ...(token.length < SHORTEST_TOKEN
      ? [`use a token of ${SHORTEST_TOKEN} or more characters`]
      : []),
    ...(other === undefined ? [] : [`use another token than ${other} has`]),
  ];
}
