# What is a placeholder in any natural language: templates, paths with a made-up user, and texts that say nothing.
words joined

let slash = [/\\]
let open = [<\[{【＜｛]{1,2}
let close = [>\]}】＞｝]

bare:
  # Ellipses, blanks and question marks that stand alone.
  …|\.{3,4}|_{3,4}|[?？]{2,3}

whole:
  x{3,4}

template:
  # <path>, [your name], {value}, {{folder_path}}, [path to your config file]
  {open}(?:(?:file|folder|project|user) )?(?:path|folder|file|name|value|option|url|text|answer|input){close}.*
  {open}(?:your|my|insert|enter|path to|any|some) .*

# A template path is known by how it begins, wherever it ends. In hints it is looked for everywhere.
path:
  {slash}path{slash}to
  {slash}(?:home|users){slash}(?:your|user-?name|[<\[{])
  {slash}your[-_ ]?(?:project|folder|app|path|dir|repo|name|file)
