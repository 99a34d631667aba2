import { builder } from './builder.ts'

/** The direction of any list's order. */
export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Which way a list runs.',
  values: {
    ASC: { value: 'asc', description: 'From the least to the greatest, the oldest to the newest.' },
    DESC: {
      value: 'desc',
      description: 'From the greatest to the least, the newest to the oldest.',
    },
  } as const,
})
