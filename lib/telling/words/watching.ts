import { clockTime } from '../../domain/local-time.ts';
import type { TrackRecord } from '../story/track-records.ts';
import { plainText } from '../text.ts';

// What is told of a gate that only watches, on the command line and in the console.

/** `would have failed at 14:05:07Z` */
export function describeFailed(at: number): string {
  return `would have failed at ${clockTime(at)}`;
}

/** "alarm shop-5xx only watches: right in 3 of 20 rollouts", in lines. Where nothing can be said there is none. */
export function describeTracks(tracks: readonly TrackRecord[]): string[] {
  return tracks
    .filter((track) => track.of > 0)
    .map(({ gate, right, of }) =>
      plainText(`${gate} only watches: right in ${right} of ${of} rollouts`),
    );
}
