/**
 * Commands as rows: the texts of their help, their arguments, their options, and what they do.
 */
import { type Aliases, buildCommand, type Command, type TypedPositionalParameter } from '@stricli/core'
import type { Context } from './context.ts'
import { guarded } from './failure.ts'

type ValueOf<F> = F extends { readonly kind: 'boolean' }
  ? boolean
  : F extends { readonly values: readonly (infer V)[] } | { readonly parse: (input: string) => infer V }
    ? V
    : never
type GivenOf<F> = F extends { readonly variadic: true | string } ? readonly ValueOf<F>[] : ValueOf<F>
type OptionalIn<S> = { [K in keyof S]: S[K] extends { readonly optional: true } ? K : never }[keyof S]

/** Values of options, as a command gets them. */
export type FlagsOf<S> = { readonly [K in Exclude<keyof S, OptionalIn<S>>]: GivenOf<S[K]> } & {
  readonly [K in OptionalIn<S>]?: GivenOf<S[K]>
}

type ArgsOf<A> = { readonly [K in keyof A]-?: TypedPositionalParameter<A[K], Context> }

interface CommandRow<S, A extends readonly unknown[]> {
  readonly brief: string
  /** The rest of the help, line by line. */
  readonly about?: readonly string[]
  /** Forms of a call, where the help cannot tell them from arguments and options. */
  readonly usage?: readonly string[]
  readonly args?: NoInfer<ArgsOf<A>>
  /** In place of `args`: arguments of one kind, as many as there are. */
  readonly manyArgs?: TypedPositionalParameter<NoInfer<A>[number], Context> & {
    readonly minimum?: number
    readonly maximum?: number
  }
  readonly flags?: S
  /** Options by their letters. */
  readonly aliases?: Aliases<keyof S & string>
  readonly run: (this: Context, flags: FlagsOf<S>, ...args: A) => Promise<void> | void
}

export function command<S extends object, A extends readonly unknown[]>(row: CommandRow<S, A>): Command<Context> {
  const { brief, about, usage, args, manyArgs, flags = {}, aliases = {}, run } = row
  const { minimum, maximum, ...parameter } = manyArgs ?? {}
  const parameters = {
    flags,
    aliases,
    ...(args !== undefined && { positional: { kind: 'tuple', parameters: args } }),
    ...(manyArgs !== undefined && { positional: { kind: 'array', parameter, minimum, maximum } }),
  }
  return buildCommand<FlagsOf<S>, A, Context>({
    docs: {
      brief,
      ...(about !== undefined && { fullDescription: about.join('\n') }),
      ...(usage !== undefined && { customUsage: usage }),
    },
    // Cast: the row has checked them.
    parameters: parameters as never,
    func: guarded(run),
  })
}
