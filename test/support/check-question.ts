import type { SentQuestion } from '../../lib/gates/checks.ts';

/** What a check is asked about the only endpoint of a wave. */
export function checkQuestion(): SentQuestion {
  return {
    ...{ attemptId: 'roll-1/1/smoke/2', attempt: 2, check: 'smoke', when: 'bake' },
    ...{ rolloutId: 'roll-1', runtimeId: 'shop', desiredVersion: 2, wave: 1 },
    sessionId: '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
    deadline: '2026-11-26T10:00:00.000Z',
    endpointCount: 1,
    endpoints: [{ id: 'e-1', name: 'web-1', url: 'https://web-1.example.com', previousVersion: 1 }],
  };
}
