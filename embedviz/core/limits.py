"""Limits of a server that visitors share: on uploads, stored results, and jobs in the queue.

If a limit is reached, the page says so; `docs/operating.md` lists all limits in a table. The limit of one file format
or one method is in its own module.
"""

STAY = 3600.0
"""Seconds that uploads, unsaved training runs and long jobs stay on the server after their last visitor has left."""
UPLOAD_MEGABYTES = 50
"""Maximum megabytes of one upload; `embedviz serve --upload-mb` changes it."""
UPLOAD_BYTES = 8 * 2**30
"""Maximum bytes of all uploads together."""
UNPACKED_BYTES = 2**30
"""Maximum bytes of a packed upload after unpacking. A larger file cannot be uploaded, only opened by its path."""
SPARE_BYTES = 2**28
"""Bytes of the disk that uploads must leave free."""
PASTED_TEXT = 2_000_000
"""Maximum number of characters of pasted texts."""
PASTED_TABLE = 8_000_000
"""Maximum number of characters of a pasted table or list of sentences."""
DOWNLOAD_BYTES = 150_000_000
"""Maximum bytes of a file made for a download; the server holds it in memory."""
WAITING_JOBS = 20
"""Maximum number of jobs that one visitor may have in the queue."""
WAITING_BYTES = 512 * 2**20
"""Maximum bytes of the arguments of all jobs in the queue."""
FINISHED_JOBS = 200
"""Maximum number of finished jobs whose results wait for their visitors. The least recently used are deleted first."""
FINISHED_BYTES = 512 * 2**20
"""Maximum bytes of the results of all finished jobs together."""
RESULT_BYTES = 256 * 2**20
"""Maximum bytes of all results that are stored for all visitors together."""
PRIVATE_RESULT_BYTES = 32 * 2**20
"""Maximum bytes of a private result that is stored for a visit. A larger result is computed again when needed."""
PUBLISHED_BYTES = 1_500_000_000
"""Maximum bytes of the points of all maps that browsers load. Beyond this, the points of the oldest maps are deleted.

If a browser asks for deleted points, they are published again.
"""
PUBLISHED_TOKENS = 24
"""Maximum number of addresses, per visit, from which the browser can load the points of maps."""
STREAMS = 8
"""Maximum number of maps of one visit whose moving points can be sent to the browser while their jobs run."""
WORD_LIST_LETTERS = 50_000_000
"""Maximum number of letters of the words that may be suggested to visitors while they type, over all spaces."""
