/** Findings of imports as tests expect them. */
import { expect } from 'vitest'

/** A finding of a kind, with at least these values, there. */
export const found = (id: string, values: object = {}, subject: object = {}): unknown =>
  expect.objectContaining({
    id: `import-${id}`,
    values: expect.objectContaining(values),
    subject: expect.objectContaining(subject),
  })

/** One that a table of sentences names. */
export const differs = (what: string, values: object = {}, subject: object = {}): unknown =>
  found('differs', { what, ...values }, subject)
export const adapted = (what: string, values: object = {}, subject: object = {}): unknown =>
  found('adapted', { what, ...values }, subject)
export const assumed = (what: string, values: object = {}): unknown => found('assumed', { what, ...values })
