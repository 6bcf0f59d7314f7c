/**
 * Series that show a trouble and its end, as promtool reads them: some time of calm, some of trouble, and calm again. Samples are 15 s
 * apart, as the chart has them scraped.
 */

export const STEP_SECONDS = 15;
const PER_MINUTE = 60 / STEP_SECONDS;

/** Minutes. */
export interface Timeline {
  calm: number;
  trouble: number;
  after: number;
}

/** Values of a series over a timeline. */
export type Course = (timeline: Timeline) => string;

/** A gauge: its value in calm times, and in trouble. `undefined`: the series is not there. */
export function gauge(calm: number | undefined, trouble: number | undefined): Course {
  return over((isTrouble) => {
    const value = isTrouble ? trouble : calm;
    return value === undefined ? "_" : String(value);
  });
}

/** A counter: how much it grows in a minute of calm, and of trouble. */
export function counter(calmPerMinute: number, troublePerMinute: number): Course {
  let total = 0;
  return (timeline) => {
    total = 0;
    return over((isTrouble) => {
      total += (isTrouble ? troublePerMinute : calmPerMinute) / PER_MINUTE;
      return String(total);
    })(timeline);
  };
}

/** The start time of a process that starts anew every so many minutes while there is trouble. */
export function startedEvery(minutes: number): Course {
  let samples = 0;
  let started = 0;
  return (timeline) => {
    samples = 0;
    started = 0;
    return over((isTrouble) => {
      samples += 1;
      if (isTrouble && samples % (minutes * PER_MINUTE) === 0) started = samples * STEP_SECONDS;
      return String(started);
    })(timeline);
  };
}

function over(valueAt: (isTrouble: boolean) => string): Course {
  return ({ calm, trouble, after }) => {
    const values: string[] = [];
    for (let sample = 0; sample <= (calm + trouble + after) * PER_MINUTE; sample++) {
      const minute = sample / PER_MINUTE;
      values.push(valueAt(minute >= calm && minute < calm + trouble));
    }
    return values.join(" ");
  };
}
