// Phrases that documentation must not contain, each with what to write instead. `scripts/check-words.mjs` applies them.

const GLOSSARY = ["docs/glossary.md"];

export const prosePatterns = [
  { pattern: /\b(?:that|which|it) is no(?:ne)?\b(?! longer)/i, use: 'write "is not a …"' },
  { pattern: /\bis none\b/i, use: 'write "there is no …"' },
  {
    pattern: /\bof (?:its|their|your|one's) own(?=[.,;:)]|$| (?:and|or|in|is|that|which|to|with)\b)/i,
    use: 'write "its own …" or "a separate …"',
  },
  { pattern: /\banew\b/i, use: 'write "again"', except: GLOSSARY },
  { pattern: /\b(?:somebody|nobody|anybody|whoever)\b/i, use: "name the actor" },
  { pattern: /(?:^|[.:;] )Who (?!needs this)[a-z]/, use: "name the actor" },
  {
    pattern: /(?:^|[.:;] )What [a-z]+ (?:is|are|has|was|cannot|can)\b[^?]*[.;]/,
    use: "begin with a subject",
  },
  { pattern: /\bby now\b/i, use: 'write "now" or leave it out' },
  { pattern: /\b(?:thinks|hears|is told|are told|be told|is told of)\b/i, use: "name the technical action" },
  { pattern: /\bsome \d/i, use: 'write "about" and a unit' },
  {
    pattern: /\b(?:found so|before it was|once were|as before)\b/i,
    use: "move history to the changelog or the commit",
  },
  { pattern: /\bsave (?:it|that) (?:be|is)\b|\bbut for\b/i, use: 'write "except"' },
  { pattern: /\bwhite space\b/i, use: 'write "whitespace"' },
  { pattern: /\b(?:picture|pictures)\b/i, use: 'write "image"', except: GLOSSARY },
  {
    pattern:
      /\b(?:colou?rs?(?<=colour|colours)|behaviou?rs?(?<=behaviour|behaviours)|catalogues?|licences?|centres?|defences?|favou?r(?<=favour)|grey|honou?r(?<=honour)|cancell(?:ed|ing)|labell(?:ed|ing)|travell(?:ed|ing)|modell(?:ed|ing)|signall(?:ed|ing)|(?:recogn|normal|serial|organ|notar|optim|minim|maxim|summar|synchron|initial|author|util|custom|token|categor|emphas|prior)is(?:e|ed|es|ing|ation))\b/i,
    use: "use American spelling",
    except: GLOSSARY,
  },
];
