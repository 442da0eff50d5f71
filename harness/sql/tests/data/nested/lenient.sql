arr[0]
arr[9]
arr[-1]
arr[i]
arr['0']
arr['x']
m['nope']
mi['x']
mi['1']
nested[1][5]
structs[1].field
after.id
from_json(s, 'a INT')
from_json(s, 'a INT').a
= from_json('{"a":"x"}', 'a INT')
= from_json('{"t":"2024-13-01"}', 't TIMESTAMP')
= from_json('{"a":99999999999}', 'a INT')
= to_json(named_struct('a', 1))
= get_json_object('{"a":1}', '$.a')
