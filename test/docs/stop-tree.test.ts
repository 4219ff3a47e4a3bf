import { expect, test } from '@jest/globals';
import { stopTree } from './stop-tree.ts';

test('the tree asks in the order of the code, and each question once', () => {
  const tree = stopTree(`
function reasonToKeep(evidence: StopEvidence): KeepReason | undefined {
  if (isProtected()) return 'protected';
  if (wasTakenAway()) return 'moved';
  if (wasReverted()) return 'moved';
  return serving < least ? 'min-serving' : undefined;
}
`);
  const kept = [...tree.matchAll(/\["kept: (.*)"\]/g)].map(([, because]) => because);
  expect(kept).toEqual([
    'its service cannot stop any',
    'the list could not be read',
    'protected by the policy',
    'moved meanwhile, and not by this rollout',
    'too few others serve',
  ]);
  expect(tree).toContain('row3 -->|no| row4\n');
  expect(tree).toContain('row4 -->|yes| stopped\n');
});
