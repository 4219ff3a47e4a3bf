import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { LeaseOwner } from '../../../lib/ledger/lease.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { beginWith } from '../../support/begin-with.ts';
import {
  EXPIRED,
  expectError,
  line,
  NOW,
  planOf,
  requestOf,
  SUCCEEDED,
  UNTIL,
} from './ledger-examples.ts';

/**
 * What a ledger promises besides where its processes can be told apart.
 *
 * @param makeConnect Makes a new ledger, and answers how a process opens it.
 */
export function describeProcesses(
  name: string,
  makeConnect: () => (owner: LeaseOwner) => Ledger,
): void {
  describe(`${name}, of several processes`, () => {
    test('L06: the rollout of a process that is gone goes on with a new epoch', async () => {
      const connect = makeConnect();
      const request = requestOf(randomUUID());
      const first = connect(owner('a'));
      const old = await first.open(request, NOW, UNTIL, beginWith(planOf(3)));

      const next = await connect(owner('b', ['a'])).open(request, NOW + 1, UNTIL);

      expect(next).toEqual({ ...old, epoch: 2 });
      await expectError('LeaseLost', first.append(old, [line(1)]));
      await first.append(next, [line(2)]);
      expect(await first.read(request.rolloutId)).toMatchObject({
        epoch: 2,
        startedAt: NOW,
        plan: planOf(3),
        journal: [line(2)],
      });
    });

    test('L06: the rollout of a process that may be alive is left to it until its lease runs out', async () => {
      const connect = makeConnect();
      const request = requestOf(randomUUID());
      const lease = await connect(owner('a')).open(request, NOW, UNTIL);
      const other = connect(owner('b'));

      await expectError('LeaseHeld', other.open(request, EXPIRED - 1, EXPIRED));
      expect(await other.open(request, EXPIRED, EXPIRED + 1)).toEqual({ ...lease, epoch: 2 });
    });

    test('A12: the process that holds the lease gets it again as it is', async () => {
      const ledger = makeConnect()(owner('a', ['a']));
      const request = requestOf(randomUUID());
      const lease = await ledger.open(request, NOW, UNTIL);

      expect(await ledger.open(request, EXPIRED, EXPIRED + 1)).toEqual(lease);
    });

    test('X09: a rollout that has ended is not taken over', async () => {
      const connect = makeConnect();
      const request = requestOf(randomUUID());
      await connect(owner('a')).open(request, NOW, UNTIL);
      const other = connect(owner('b', ['a']));
      await other.close(request.rolloutId, SUCCEEDED, NOW);

      await expectError('LeaseLost', other.open(request, NOW, UNTIL));
    });

    test.each([
      ['may be alive', [], NOW],
      ['is gone', ['a'], NOW],
      ['has let its lease run out', [], EXPIRED],
    ] as [string, string[], number][])(
      'X03: what a process has begun that %s, nobody begins a second time',
      async (_, gone, at) => {
        const connect = makeConnect();
        const request = requestOf(randomUUID());
        const first = connect(owner('a'));
        const lease = await first.open(request, NOW, UNTIL, beginWith(planOf(3)));
        await first.append(lease, [line(1)]);
        const before = await first.read(request.rolloutId);
        const other = connect(owner('b', gone));

        await expectError('LeaseLost', other.open(request, at, at + 1, beginWith(planOf(4))));

        expect(await other.read(request.rolloutId)).toEqual(before);
        // It is as it was: whoever began it goes on.
        expect(await first.open(request, at, at + 1, beginWith(planOf(4)))).toEqual(lease);
        expect(await first.read(request.rolloutId)).toEqual(before);
      },
    );
  });
}

/** A process of this name, while others know which ones are gone. */
function owner(name: string, gone: readonly string[] = []): LeaseOwner {
  return { name, isGone: (other) => gone.includes(other) };
}
