import { Repeater, SlidingBuffer } from '@repeaterjs/repeater'
import { builder } from './builder.ts'
import { checkRange } from './range.ts'

/** The server's time now, and again every so many seconds until the reader stops. */
function clock(everySeconds: number): Repeater<Date> {
  checkRange(everySeconds, 'everySeconds', 1, 3_600)
  // A reader that falls behind gets the latest time only, so that nothing piles up.
  return new Repeater(async (push, stop) => {
    push(new Date())
    const timer = setInterval(() => push(new Date()), everySeconds * 1_000)
    await stop
    clearInterval(timer)
  }, new SlidingBuffer(1))
}

builder.subscriptionField('clock', t =>
  t.field({
    type: 'DateTime',
    description:
      "The server's time, at once and then at an interval: the smallest subscription, to try a connection and the proxies on its way.",
    args: {
      everySeconds: t.arg.int({
        required: true,
        defaultValue: 1,
        description: 'The interval in seconds, 1 to 3,600.',
      }),
    },
    subscribe: (_root, { everySeconds }) => clock(everySeconds),
    resolve: time => time,
  }),
)
