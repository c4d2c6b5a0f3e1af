// Every word the reader understands, as data: English, and the commonest words in Russian and Spanish.
// A new wording is a new entry here, and a row in the tests; no other file names a word of prose. (Longer than
// other files on purpose: it is one table.)
import type { EvidenceField } from '../../engine/model/evidence.ts';

export type EvidenceType = EvidenceField['type'];

/** Kept as running text, because two hundred one-word lines are not easier to read. */
const list = (text: string): readonly string[] => text.split('|').map((word) => word.trim());

/** "## Phase 3: Title" */
export const PHASE_WORDS = list(`phase | фаза | этап | fase`);
/** Numbers written out, each line one more than the line before. */
export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  [
    'one | один | одна | одну | одного | одной | un | uno | una',
    'two | два | две | двух | dos',
    'three | три | трёх | трех | tres',
    'four | четыре | четырёх | четырех | cuatro',
    'five | пять | пяти | cinco',
    'six | шесть | шести | seis',
    'seven | семь | семи | siete',
    'eight | восемь | восьми | ocho',
    'nine | девять | девяти | nueve',
    'ten | десять | десяти | diez',
    'eleven | одиннадцать | once',
    'twelve | двенадцать | doce',
  ].flatMap((words, index) => list(words).map((word) => [word, index + 1] as const)),
);

// ── Sections ────────────────────────────────────────────────────────────────────────────────────────────

/** What a checkpoint's heading or lead-in begins with, is, or holds. */
export const CHECKPOINT_STARTS = list(`
  checkpoint | evidence | required evidence | validation gate | контрольная точка | чекпоинт | чекпойнт |
  доказательства | свидетельства | evidencia | evidencias | punto de control
`);
export const CHECKPOINT_ENDS = list(`checkpoint | evidence | чекпоинт | evidencia`);
export const CHECKPOINT_WHOLE = list(`
  required | requires | provide | must provide | required fields | required outputs | required data |
  required artifacts | deliverables | exit criteria | completion criteria | quality gate | phase gate |
  gate | optional | optional fields | обязательно | необязательно | требуется | obligatorio | opcional |
  se requiere
`);
export const CHECKPOINT_HOLDS = list(`
  required evidence | evidence required | must provide | must submit | must supply | must report |
  must include | provide the following | provide these | provide all of | submit the following |
  report the following | following evidence | following fields | as evidence | checkpoint requirements |
  checkpoint criteria | необходимо предоставить | нужно предоставить | предоставьте | debe proporcionar |
  debes proporcionar | proporcione | evidencia requerida
`);
/** Headings that talk about evidence without asking for any, and the asides inside a checkpoint. */
export const ASIDE_STARTS = list(`
  why | how | about | gathering | collecting | note | notes | tip | tips | hint | hints | pitfall |
  pitfalls | command | commands | run | useful | common | background | next | see also | reminder |
  troubleshooting | почему | как | команды | примечание | cómo | por qué | comandos | nota
`);
export const EXAMPLE_WORDS = list(`
  example | examples | sample | for instance | пример | примеры | ejemplo | ejemplos
`);
/** "Checkpoint: none": the author means it. */
export const NO_EVIDENCE = list(`
  no evidence | no evidence required | no evidence is required | no evidence needed |
  no evidence is needed | no checkpoint | no checkpoint required | no checkpoint needed |
  nothing to provide | nothing required | без контрольной точки | доказательства не требуются |
  sin evidencia | no se requiere evidencia
`);
export const NONE = list(`
  none | not required | not needed | nothing | n/a | no | нет | не требуется | ninguna | ninguno
`);

// ── What makes a line a requirement ─────────────────────────────────────────────────────────────────────

/** The fields that follow are asked for. */
export const DEMANDS = list(`
  must provide | must include | must contain | must submit | must supply | must report | must record |
  must state | must attach | must return | must show | provide | submit | supply | предоставьте |
  предоставить | укажите | proporcione | proporciona | proporcionar | debe incluir | debe contener |
  indique
`);
/** The same, when a colon follows: "Required: `a` and `b`". */
export const COLON_DEMANDS = list(`
  required | evidence | checkpoint | required evidence | evidence required | optional |
  optional evidence | must have | обязательно | требуется | необязательно | контрольная точка |
  obligatorio | requerido | opcional | evidencia | punto de control
`);
/** Before a demand these make it an offer: "You may provide `x`". */
export const OFFERS = list(
  `optionally | optionally also | may | may also | can | can also | could | можете | puede`,
);
/** Inside a checkpoint an item may also open with one of these. */
export const CHECKPOINT_VERBS = list(`
  record | report | list | give | state | attach | include | save | note | add
`);
/** Between what a field is and its name: "quantity of `x`", "a list called `x`". */
export const NAMING = list(`of | called | named | de | llamado | llamada`);
/** "Do not provide `x`" asks for nothing. */
export const REFUSALS = list(`
  do not | don't | must not | never | should not | need not | no need to | not have to | not | не | no
`);
/** Said of a field that opens the line: "`x`: at least 3". */
export const SAID_OF_A_FIELD = list(`
  must provide | must contain | must include | must not be empty | required | mandatory |
  evidence | optional | not required | may be empty | non-empty | nonempty | not be empty |
  non-zero | nonzero | at least | at most | no more than | more than | greater than | one of | minimum |
  exactly | обязательно | обязательное | необязательно | не менее | не более | непустой | непустая |
  непустое | obligatorio | obligatoria | opcional | al menos | no vacío | no vacía
`);
/** What a field at the start of a sentence is or must be: "`mode` must be `full`". */
export const PREDICATES = list(
  `is | are | must | should | has to | may | es | debe | должен | должна | должно`,
);
/** Said of several fields at once: "`a` and `b`, both integers". */
export const OF_SEVERAL = list(`
  integers | numbers | strings | lists | arrays | booleans | objects | all | both | each | целые | строки | enteros
`);
/** A second field follows one of these: "`a`, `b` and `c`". */
export const CONNECTORS = list(`, | ; | & | + | and | plus | as well as | и | а также | y | e`);
/** May stand between a demand or a connector and the field it is about. */
export const FILLERS = list(`
  the | a | an | also | both | your | its | field | fields | following | value | values | optionally |
  finally | el | la | los | las | un | una | поле | поля | также
`);
/** A name after one of these is a thing the text talks about, not a field it asks for. */
export const PREPOSITIONS = list(`
  of | with | from | how | to | by | that | which | on | via | using | against | when | where | like |
  than | e.g | if | see | or | for | in | из | для | de | con | para
`);
/** … unless it looks like a field name: "the functions found in `functions_list`". */
export const SOFT_PREPOSITIONS = list(`in | for | as | under | en | como | в | как`);

// ── Rules ───────────────────────────────────────────────────────────────────────────────────────────────

/** Followed by a number. The longest wording wins, so "no more than" is never read as "more than". */
export const BOUNDS = {
  at_least: list(`
    at least | no fewer than | no less than | not less than | minimum of | minimum | min | or more than |
    >= | ≥ | greater than or equal to | more than or equal to | не менее | не меньше | как минимум |
    минимум | al menos | como mínimo | mínimo | por lo menos
  `),
  above: list(`
    more than | greater than | larger than | bigger than | higher than | above | exceeds | exceed | > |
    больше | более | больше чем | más de | mayor que | mayor a
  `),
  at_most: list(`
    at most | no more than | not more than | no greater than | not greater than | maximum of | maximum |
    max | up to | <= | ≤ | less than or equal to | не более | не больше | максимум | como máximo |
    máximo | no más de | a lo sumo
  `),
  below: list(`
    less than | fewer than | lower than | smaller than | below | < | меньше | менее | menos de |
    menor que
  `),
  exactly: list(`exactly | equal to | equals | == | ровно | exactamente`),
} as const;
export const OR_MORE = list(`
  or more | or greater | or above | or higher | или более | или больше | o más
`);
export const OR_FEWER = list(`or fewer | or less | or below | или менее | o menos`);
/** "between A and B": the words before, the words in the middle. */
export const RANGE_STARTS = list(`between | from | от | entre`);
export const RANGE_MIDDLES = list(`and | to | до | y | – | -`);
/** After one of these a bound is said of something else: "functions with more than one caller". */
export const BOUND_OF_ANOTHER = list(`
  with | in | from | by | has | have | having | of | for | on | across | takes | take | taking | cover |
  covers | covering | called | used | contain | contains | containing | with only | con | de | с | из
`);
/** A bound counted in these is said of a list, or of a string, whatever else the line says. */
export const LIST_UNITS = list(`
  entry | entries | item | items | element | elements | names | записей | элементов | elementos
`);
export const STRING_UNITS = list(`
  character | characters | chars | char | letters | symbols | символов | caracteres
`);

export const NON_EMPTY = list(`
  non-empty | nonempty | non empty | not empty | not be empty | cannot be empty | can't be empty |
  not be blank | non-blank | непустой | непустая | непустое | непустую | не пустой | не пустая |
  не должен быть пустым | no vacío | no vacía | no puede estar vacío | no puede estar vacía
`);
export const MAY_BE_EMPTY = list(`
  may be empty | can be empty | could be empty | possibly empty | may be an empty | can be an empty |
  or empty | empty is fine | empty list is fine | empty string is fine | может быть пустым |
  может быть пустой | puede estar vacío | puede estar vacía
`);
export const NON_ZERO = list(`
  non-zero | nonzero | non zero | not zero | not be zero | ненулевое | ненулевой | no cero
`);
export const POSITIVE = list(`positive | положительное | positivo`);
export const NON_NEGATIVE = list(`
  non-negative | nonnegative | not negative | not be negative | cannot be negative | zero or more | 0 or more | неотрицательное | no negativo
`);
export const MUST_CONTAIN = list(`
  must contain | must include | must mention | must hold | has to contain | has to include |
  should contain | should include | needs to contain | должен содержать | должна содержать |
  должно содержать | debe contener | debe incluir
`);
export const ONE_OF = list(`
  one of the following | one of | any of | either | allowed values | possible values | choices | must be |
  один из | одно из | одна из | uno de | una de | debe ser
`);
export const OR_WORDS = list(`or | или | o`);
export const AND_WORDS = list(`and | и | y`);
/** May stand between "must contain" or "one of" and the first thing named. */
export const VALUE_FILLERS = list(`
  the | a | an | text | word | words | string | phrase | item | entry | both | exactly | either | values |
  value | слово | текст | el | la | texto | palabra
`);
export const EXAMPLE_MARKERS = list(`
  for example | for instance | examples | example | e.g. | e.g | eg | sample | such as | например |
  пример | напр. | por ejemplo | ejemplo | p. ej. | p.ej.
`);

// ── Types ───────────────────────────────────────────────────────────────────────────────────────────────

/** Said outright: "(list)", "type: integer", "must be a number". Plurals speak of several fields at once. */
export const TYPE_WORDS: Readonly<Record<EvidenceType, readonly string[]>> = {
  integer: list(`integer | integers | int | ints | whole number | целое | целое число | entero | entera`),
  number: list(
    `number | numbers | float | floats | decimal | numeric | double | percentage | número | число`,
  ),
  string: list(`string | strings | str | строка | строку | cadena`),
  list: list(`list | lists | array | arrays | список | массив | lista | arreglo`),
  boolean:
    list(`boolean | booleans | bool | true/false | yes/no | логическое | булево | да/нет | истина/ложь | booleano |
    sí/no | si/no | verdadero/falso`),
  object: list(`object | objects | dict | dictionary | mapping | map | json object | объект | objeto`),
};
/** Enough in a type column or alone in parentheses, too loose elsewhere. */
export const LOOSE_TYPE_WORDS: Readonly<Record<EvidenceType, readonly string[]>> = {
  integer: list(`count | quantity | количество`),
  number: list(`percent | % | ratio | score`),
  string: list(`text | output | command | markdown | path | текст | texto`),
  list: list(`collection`),
  boolean: list(`flag | yes or no | true or false | флаг`),
  object: list(`record`),
};
/** May stand between an article and a type: "a non-empty list". */
export const TYPE_ADJECTIVES = list(`
  a | an | the | non-empty | nonempty | positive | non-negative | non-zero | required | optional | single |
  short | valid | json | plain | ordered | sorted | complete | full | all | both | each | one |
  непустой | непустая | непустое | положительное | un | una
`);
/** What may follow a type that is meant as one; "list the names" and "string literals" are not. */
export const AFTER_TYPE = list(`
  of | with | between | at | from | greater | more | less | no | not | containing | listing | that | which | in |
  or | and | holding | whose | where | must | above | over | up | giving | из | с | от | не | de | con | entre | que
`);
export const BEFORE_TYPE = list(
  `must be | should be | is | are | as | be | type | тип | tipo | debe ser | es`,
);

/** The last part of a name, which says what the thing is: function_count, functions_list. */
export const NAME_ENDS: Readonly<Record<EvidenceType, readonly string[]>> = {
  integer: list(`count | counts | number | quantity | total`),
  number: list(`percent | percentage | pct | ratio | score | coverage | rate`),
  string: list(`
    output | text | command | path | name | summary | reason | description | message | title | url | status |
    version | hash | sha | id | log | stdout | notes | strategy | report
  `),
  list: list(`list | array | collection | items | entries | names | patterns | files | paths`),
  boolean: list(`flag | boolean | bool`),
  object: list(`object | dict | map | mapping`),
};
/** The first part of a name: is_valid, num_tests. */
export const NAME_STARTS: Readonly<Partial<Record<EvidenceType, readonly string[]>>> = {
  integer: list(`num | number | count | total | n`),
  boolean: list(`is | has | can | should | was | did | are | all`),
};
/** Wording in the description; the earliest one decides. */
export const TYPE_HINTS: Readonly<Record<EvidenceType, readonly string[]>> = {
  integer: list(`count | number | quantity | how many | количество | число | сколько | número | cantidad`),
  number: list(`percent | percentage | % | ratio | score | доля | процент | porcentaje`),
  string: list(`output | text | command | вывод | текст | команда | salida | texto | comando`),
  list: list(`list | array | collection | names of | список | массив | перечень | lista`),
  boolean: list(`flag | boolean | true/false | true or false | yes/no | yes or no | whether | флаг | да/нет |
    истина/ложь | sí/no | si/no | verdadero/falso | verdadero o falso`),
  object: list(`mapping | dictionary`),
};
/** A number only where nothing is named after it: "coverage reached", not "coverage plan". */
export const COVERAGE =
  /(?<![\p{L}\p{N}_])(?:coverage|покрытие|cobertura)(?=\s*(?:$|[,.;:()%]|(?:of|to|in|reached|after|before|percent)\b))/iu;

// ── Required or optional ────────────────────────────────────────────────────────────────────────────────

export const OPTIONAL = list(`
  optional | optionally | необязательно | необязательное | необязательный | необязательная | opcional
`);
export const NOT_REQUIRED = list(`
  not required | not mandatory | no longer required | may be omitted | can be omitted | may be absent |
  may be left out | need not be provided | не обязательно | не обязателен | не требуется |
  no obligatorio | no obligatoria | no es obligatorio | no es obligatoria
`);
export const REQUIRED = list(`
  required | mandatory | not optional | non-optional | обязательно | obligatorio | obligatoria
`);
export const NOT_OPTIONAL = list(`not optional | non-optional`);
export const YES = list(`
  yes | y | true | required | mandatory | must | ✓ | ✔ | ✅ | ☑ | x | да | sí | si | always
`);
export const NO = list(`no | n | false | optional | not required | ✗ | ✘ | ❌ | ✖ | - | – | — | нет | `);
/** A later sentence that starts so still speaks of the field before it. */
export const CONTINUES = list(`
  it | this | they | must | the list | the value | the number | each | example | e.g. | for example
`);

// ── Words that are never a field's name ─────────────────────────────────────────────────────────────────

/** Bold words that label a line or an attribute. */
export const NEVER_FIELDS = new Set(
  list(`
  note | example | examples | required | optional | mandatory | evidence | checkpoint | important |
  warning | tip | hint | must | must provide | you must provide | remember | why | how | caution | not |
  all | do | don't | never | always | every | only | required evidence | evidence required | before |
  after | and | or | none | phase | step | critical | at least | non-empty | greater than | non-zero |
  provide | must contain | must include | e.g. | exactly | one of | at least one | nonempty |
  обязательно | необязательно | важно | пример | obligatorio | opcional | nota
`),
);
/** Bold words that usually label a paragraph; fields only inside a checkpoint. */
export const LABELS_IN_PROSE = new Set(
  list(`
  goal | goals | purpose | objective | output | outputs | input | inputs | commands | command | action |
  actions | task | tasks | result | rule | rules | summary | description | validation | criteria |
  requirement | requirements | notes | pitfall | pitfalls | prerequisites | deliverables | coverage |
  tests | quality | scope | gate
`),
);
/** Attributes of the field above, when they open a nested item. */
export const ATTRIBUTES = new Set(
  list(`
  type | required | optional | description | example | examples | format | default | validation | rule |
  rules | constraint | constraints | minimum | maximum | min | max | allowed values | choices | тип |
  описание | tipo
`),
);
/** Code words that are values or types. */
export const NEVER_NAMES = new Set(
  list(`
  true | false | null | none | undefined | nil | int | str | bool | float | dict | optional | required |
  integer | string | boolean | array | object | number | list | json | yaml
`),
);
/** Names that could reach an object's prototype. */
export const FORBIDDEN_NAMES = new Set(list(`__proto__ | prototype | constructor`));

// ── Tables ──────────────────────────────────────────────────────────────────────────────────────────────

export const COLUMNS = {
  /** Enough on its own to make a table a table of requirements. */
  field: list(`
    field | fields | field name | evidence | evidence field | evidence key | поле | campo | evidencia
  `),
  /** The same, where a type or required column stands beside it, or in a checkpoint. */
  name: list(`name | key | имя | название | nombre | clave`),
  type: list(`type | тип | tipo`),
  required: list(`
    required | mandatory | required? | обязательно | обязательное | obligatorio | requerido
  `),
  optional: list(`optional | optional? | необязательно | opcional`),
  example: list(`example | examples | sample | пример | ejemplo`),
  ignored: list(`# | № | no. | status | done | done? | `),
} as const;
